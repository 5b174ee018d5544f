import HearthModel
import Testing

@Suite struct MapValueTests {
  @Test func namesAreBytes() {
    var map: MapValue = ["\u{E9}": .integer(1), "e\u{301}": .integer(2), "b": .null]
    #expect(map.entries.map { Array($0.name.utf8) } == [[0x62], [0x65, 0xCC, 0x81], [0xC3, 0xA9]])
    #expect(map["\u{E9}"] == .integer(1))
    #expect(map["e\u{301}"] == .integer(2))
    map["e\u{301}"] = nil
    #expect(map.count == 2)
    #expect(map["\u{E9}"] == .integer(1))
  }

  @Test func theLastOfSeveralCounts() {
    let map = MapValue([("a", Value.integer(1)), ("b", .null), ("a", .integer(2)), ("a", .integer(3))])
    #expect(map == ["a": .integer(3), "b": .null])
  }

  @Test func settingMakesParents() throws {
    var map: MapValue = ["a": .integer(1), "z": .map(["k": .null])]
    map.set(.boolean(true), at: try FieldPath(dotted: "a.b.c"))
    map.set(.boolean(false), at: try FieldPath(dotted: "m.n"))
    map.set(.integer(2), at: try FieldPath(dotted: "z.l"))
    #expect(
      map == [
        "a": .map(["b": .map(["c": .boolean(true)])]), "m": .map(["n": .boolean(false)]),
        "z": .map(["k": .null, "l": .integer(2)]),
      ])
  }

  @Test func deletingMakesNothing() throws {
    let original: MapValue = ["a": .integer(1), "m": .map(["x": .map(["y": .null])])]
    var map = original
    for path in ["b", "b.c", "a.b", "m.z", "m.x.z", "m.x.y.z"] { map.delete(at: try FieldPath(dotted: path)) }
    #expect(map == original)
    map.delete(at: try FieldPath(dotted: "m.x.y"))
    #expect(map == ["a": .integer(1), "m": .map(["x": .map([:])])])
  }

  @Test func aPathThroughAnotherTypeIsMissing() throws {
    let map: MapValue = ["a": .integer(1), "m": .map(["x": .null]), "l": .array([.map(["x": .null])])]
    #expect(map[try FieldPath(dotted: "m.x")] == .null)
    for path in ["a.b", "l.x", "m.x.y", "n"] { #expect(map[try FieldPath(dotted: path)] == nil) }
  }

  @Test func aCopyIsNotChanged() throws {
    let original: MapValue = ["m": .map(["x": .integer(1)])]
    var copy = original
    copy.set(.integer(2), at: try FieldPath(dotted: "m.x"))
    copy["n"] = .null
    #expect(original == ["m": .map(["x": .integer(1)])])
  }
}
