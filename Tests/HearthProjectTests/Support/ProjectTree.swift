import Foundation

/// The files of the project as a clone has them: what the build makes and hidden folders other than `.ci` are left out.
enum ProjectTree {
  /// The root of the package, without a slash at its end.
  static let root: String = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url.path
  }()

  /// Paths of all files relative to ``root``, sorted.
  static let files: [String] = {
    var found: [String] = []
    var folders = [""]
    while let folder = folders.popLast() {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
      for name in names {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder) else { continue }
        if isFolder.boolValue {
          if name.hasPrefix("."), name != ".ci" { continue }
          if name == "DerivedData" || name.hasSuffix(".xcodeproj") { continue }
          folders.append(path)
        } else if name != ".git" {
          found.append(path)
        }
      }
    }
    return found.sorted()
  }()

  static let swiftFiles: [String] = files.filter { $0.hasSuffix(".swift") }

  /// Folders that are packages of their own, whose files belong to no target of this one.
  static let nestedPackages: [String] = files.compactMap { file in
    file.hasSuffix("/Package.swift") ? String(file.dropLast("/Package.swift".count)) : nil
  }

  static func isInNestedPackage(_ file: String) -> Bool { nestedPackages.contains { file.hasPrefix($0 + "/") } }

  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(root)/\(path)")
  }

  static func isExecutable(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "\(root)/\(path)")
  }
}
