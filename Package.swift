// swift-tools-version: 6.2
import PackageDescription

// The folder list is the architecture: a target is a layer and imports only layers above its own in this list.
// Sources/ARCHITECTURE.md has the table; LayeringTests holds the code to it.
let package = Package(
  name: "Hearth",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Hearth", targets: ["Hearth"]),
    // For Benchmarks/compare alone: everything public in the first is @_spi(Storage).
    .library(name: "HearthStorage", targets: ["HearthStorage"]),
    .library(name: "CGetopt", targets: ["CGetopt"]),
    .executable(name: "hearth", targets: ["HearthTool"]),
    .executable(name: "hearth-bench", targets: ["HearthBench"]),
    .executable(name: "hearth-test-writer", targets: ["HearthTestWriter"]),
  ],
  targets: [
    .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(name: "CHearth"),
    .target(name: "HearthStorage", dependencies: ["CLZ4", "CHearth"]),
    .target(name: "HearthModel"),
    .target(name: "HearthDatabase", dependencies: ["HearthStorage", "HearthModel"]),
    .target(name: "Hearth", dependencies: ["HearthModel", "HearthDatabase"]),
    .systemLibrary(name: "CGetopt"),
    .target(name: "HearthCommandLine", dependencies: ["CGetopt"], path: "Tools/CommandLine"),
    .executableTarget(
      name: "HearthTool", dependencies: ["HearthStorage", "HearthModel", "HearthDatabase", "HearthCommandLine"],
      path: "Tools/hearth"),
    .executableTarget(name: "AtlasDemo", dependencies: ["Hearth"], path: "Tools/DemoApps/Atlas"),
    .executableTarget(
      name: "HearthBench",
      dependencies: ["HearthStorage", "HearthModel", "HearthDatabase", "Hearth", "HearthCommandLine"],
      path: "Benchmarks/hearth-bench"),
    .target(
      name: "HearthTestSupport", dependencies: ["CHearth", "HearthStorage", "HearthModel", "HearthDatabase"],
      path: "Tests/HearthTestSupport"),
    .executableTarget(name: "HearthTestWriter", dependencies: ["HearthStorage"], path: "Tests/HearthTestWriter"),
    .testTarget(
      name: "HearthStorageTests", dependencies: ["HearthStorage", "HearthTestSupport", "HearthTestWriter"]),
    .testTarget(name: "HearthModelTests", dependencies: ["HearthModel", "HearthTestSupport"]),
    .testTarget(name: "HearthDatabaseTests", dependencies: ["HearthDatabase", "HearthTestSupport"]),
    .testTarget(name: "HearthTests", dependencies: ["Hearth", "HearthTestSupport"]),
    .testTarget(name: "HearthSimulationTests", dependencies: ["HearthStorage", "HearthTestSupport"]),
    .testTarget(
      name: "HearthToolTests", dependencies: ["HearthTool", "HearthCommandLine", "HearthStorage", "HearthTestSupport"]),
    .testTarget(
      name: "HearthProjectTests",
      dependencies: ["HearthStorage", "HearthModel", "HearthBench", "HearthTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)
