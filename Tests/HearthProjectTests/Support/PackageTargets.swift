/// The targets of `Package.swift`, read from its text.
struct PackageTarget: Equatable {
  var name: String
  /// Relative to the root of the package.
  var folder: String
  var isTest: Bool

  static let all: [PackageTarget] = {
    guard let text = try? ProjectTree.text("Package.swift") else { return [] }
    return parse(text)
  }()

  static func parse(_ manifest: String) -> [PackageTarget] {
    var targets: [PackageTarget] = []
    let kinds = [".target(", ".executableTarget(", ".testTarget(", ".systemLibrary("]
    for part in manifest.split(separator: "\n    .").dropFirst() {
      let text = "." + part
      guard let kind = kinds.first(where: { text.hasPrefix($0) }), let name = value(of: "name", in: text) else {
        continue
      }
      let isTest = kind == ".testTarget("
      let folder = value(of: "path", in: text) ?? "\(isTest ? "Tests" : "Sources")/\(name)"
      targets.append(PackageTarget(name: name, folder: folder, isTest: isTest))
    }
    return targets
  }

  /// The target whose folder holds `path`.
  static func owner(of path: String) -> PackageTarget? {
    all.filter { path.hasPrefix($0.folder + "/") }.max { $0.folder.count < $1.folder.count }
  }

  private static func value(of label: String, in text: String) -> String? {
    guard let start = text.firstRange(of: "\(label): \"")?.upperBound else { return nil }
    return String(text[start...].prefix { $0 != "\"" })
  }
}
