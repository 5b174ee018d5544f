import Testing

struct SwiftSourceTests {
  @Test func importsAreReadWhateverStandsBeforeThem() {
    let source = SwiftSource(
      """
      import Glibc
      // import Commented
      @_exported public import HearthModel
      @testable import Hearth
      internal import struct Foundation.Date
      #if canImport(Darwin)
        import Darwin
      #endif
      let text = "import Quoted"
      /* import A /* import B */ import C */
      """)
    #expect(source.imports == ["Glibc", "HearthModel", "Hearth", "Foundation", "Darwin"])
  }

  @Test func onlyTypesOutsideBracesAreTopLevel() {
    let source = SwiftSource(
      """
      package struct Outer { enum Inner { case a } }
      final class Other {}
      func f() { struct Local {} }
      extension Elsewhere { typealias Nested = Int }
      """)
    #expect(source.topLevelTypes == ["Outer", "Other"])
    #expect(source.nestedTypes == ["Inner", "Local", "Nested"])
  }

  @Test func literalsAndCommentsAreNoCode() {
    let source = SwiftSource(
      #"let a = "try! \" fatalError(" // fatalError("# + "\n" + #"let b = #"x " fatalError("# + "\"#\n" + #"call(b)"#)
    #expect(!source.code.contains("fatalError("))
    #expect(!source.code.contains("try!"))
    #expect(source.code.contains("call(b)"))
  }

  @Test func targetsAreReadFromAManifest() {
    let targets = PackageTarget.parse(
      """
        targets: [
          .target(name: "A"),
          .executableTarget(
            name: "B", dependencies: ["A"], path: "Tools/b"),
          .testTarget(name: "ATests", dependencies: ["A"]),
        ]
      """)
    #expect(
      targets == [
        PackageTarget(name: "A", folder: "Sources/A", isTest: false),
        PackageTarget(name: "B", folder: "Tools/b", isTest: false),
        PackageTarget(name: "ATests", folder: "Tests/ATests", isTest: true),
      ])
  }
}
