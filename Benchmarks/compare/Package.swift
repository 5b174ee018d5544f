// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that only who compares needs the peers' libraries. `run` installs them.
let package = Package(
  name: "HearthCompare",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "hearth-compare", targets: ["HearthCompare"])],
  dependencies: [.package(name: "Hearth", path: "../..")],
  targets: [
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLMDB", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "CLevelDB", providers: [.apt(["libleveldb-dev"])]),
    .systemLibrary(name: "CRocksDB", providers: [.apt(["librocksdb-dev"])]),
    .systemLibrary(name: "CWiredTiger", providers: [.apt(["libwiredtiger-dev"])]),
    .executableTarget(
      name: "HearthCompare",
      dependencies: [
        "CSQLite", "CLMDB", "CLevelDB", "CRocksDB", "CWiredTiger",
        .product(name: "HearthStorage", package: "Hearth"), .product(name: "CGetopt", package: "Hearth"),
      ]),
    .testTarget(name: "HearthCompareTests", dependencies: ["HearthCompare"]),
  ],
  swiftLanguageModes: [.v6]
)
