import Testing

@testable import HearthStorage

/// Random operations against sorted dictionaries: compositions, layers, folds, rollbacks, reuse of nodes under held
/// views, counts, ranks, cursors and change detection.
struct MemtableModelTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var seed: UInt64
    var leafSlots: Int
    var innerSlots: Int
    var keys: Int
    var removePercent: Int

    var testDescription: String { "seed \(seed), \(leafSlots)/\(innerSlots) slots, \(keys) keys, \(removePercent) %" }
  }

  static let shapes: [Shape] = [
    Shape(seed: 1, leafSlots: 4, innerSlots: 4, keys: 500, removePercent: 30),
    Shape(seed: 2, leafSlots: 4, innerSlots: 4, keys: 60, removePercent: 60),
    Shape(seed: 3, leafSlots: 5, innerSlots: 4, keys: 900, removePercent: 85),
    Shape(seed: 4, leafSlots: 7, innerSlots: 6, keys: 300, removePercent: 50),
    Shape(seed: 5, leafSlots: Node.leafCapacity, innerSlots: Node.innerCapacity, keys: 1500, removePercent: 20),
    Shape(seed: 6, leafSlots: 4, innerSlots: 4, keys: 12, removePercent: 50),
  ]

  @Test(arguments: shapes)
  func layersShowWhatSortedDictionariesShow(_ shape: Shape) throws {
    let model = LayeredModel(
      seed: shape.seed,
      options: LayeredModel.Options(
        leafSlots: shape.leafSlots, innerSlots: shape.innerSlots, keys: shape.keys, removePercent: shape.removePercent))
    while model.operations < 50_000 { try model.step() }
    for held in model.held { model.check(held.view, held.tables) }
    model.check(model.view(), model.tables)
  }

  @Test func rangesAreExactWhileNothingVanishes() throws {
    let model = LayeredModel(seed: 11, options: LayeredModel.Options(removePercent: 0))
    while model.operations < 3_000 {
      try model.commit()
      model.checkChanges(rounds: 2, isExact: true)
      if model.bits.chance(1), model.stack.layerCount < 4 { model.freeze() }
    }
  }
}
