/// One layer of the state in memory: three persistent counted B-trees of typed entries.
///
/// Changing a tree copies the nodes from the root to the leaf it touches,
/// so every ``Root`` handed out stays as it was. All operations of one commit share a *number*; nodes made under that
/// number are changed in place. Entries are written once into an arena and never moved.
///
/// Threading: calls that change the layer, its statistics included, are serialised by the caller (the sequencer).
/// Readers run beside them without locks on any root they were handed, provided that they hold the layer and that the
/// root's number is among those given to ``reclaim(live:)``. Handing over a root must order memory (a lock or a
/// releasing store).
///
/// Composition in one layer keeps at most one entry a key. Its kind says what the key was below this layer; an insert
/// and a remove of the same key leave nothing but the version in the leaf's `vanished`.
final class Memtable: @unchecked Sendable {
  /// Slots at which nodes are split; tests lower them to get deep trees from few keys.
  let leafSlotsMax: Int
  let innerSlotsMax: Int

  // Exclusivity checks on these took a sixth of a commit; the threading contract above excludes overlap.
  @exclusivity(unchecked) var arena = EntryArena()
  @exclusivity(unchecked) var slab = NodeSlab()
  /// The highest number a change was made under.
  @exclusivity(unchecked) var highestNumber: UInt64 = 0

  /// The nodes from the root to the leaf of the change in progress.
  let path: UnsafeMutablePointer<PathStep>
  static let heightMax = 64

  struct PathStep {
    var node: Node
    /// The child taken, or in a leaf the entry's place.
    var index: Int
  }

  /// - Parameters: fewer slots than a node can hold, at least 4 each, are for tests.
  init(leafSlotsMax: Int = Node.leafCapacity, innerSlotsMax: Int = Node.innerCapacity) {
    precondition((4...Node.leafCapacity).contains(leafSlotsMax) && (4...Node.innerCapacity).contains(innerSlotsMax))
    self.leafSlotsMax = leafSlotsMax
    self.innerSlotsMax = innerSlotsMax
    path = .allocate(capacity: Memtable.heightMax)
  }

  deinit {
    slab.deallocate()
    path.deallocate()
  }

  /// Takes full-size blocks of memory from `reserve` from now on.
  func use(_ reserve: BlockReserve) {
    arena.reserve = reserve
    slab.reserve = reserve
  }

  /// Forgets what a rollback to below `number` would need. Numbers grow from call to call.
  func published(_ number: UInt64) { slab.publish(number) }

  /// Forgets the changes made under numbers above `number`, which is not below the last published one. The caller
  /// goes back to the roots of that time and goes on with higher numbers than ever; roots of the forgotten numbers
  /// stay readable while they are live.
  func rollback(toNumber number: UInt64) {
    slab.rollback(to: number, highest: highestNumber)
  }

  /// Reuses the nodes that neither a root with a number in `live` nor a later state shows.
  ///
  /// - Parameters:
  ///   - live: Ascending; all numbers whose roots may still be read, the last published one included.
  ///   - onlyFresh: Whether to look at what was replaced since the last call alone, and not at what older views held
  ///     then. Cheap enough for every commit.
  func reclaim(live: UnsafeBufferPointer<UInt64>, onlyFresh: Bool) { slab.reclaim(live: live, onlyFresh: onlyFresh) }

  func reclaim(live: [UInt64]) { live.withUnsafeBufferPointer { reclaim(live: $0, onlyFresh: false) } }

  /// Keeps the entries of `other` alive as long as this layer, so that its entries can be taken over without a copy.
  func adoptArena(of other: Memtable) { arena.adopt(other.arena) }

  var statistics: MemtableStatistics {
    MemtableStatistics(
      entryBytes: arena.entryBytes, arenaBytes: arena.arenaBytes, nodeBytes: slab.nodeBytes,
      nodesLive: slab.nodesLive, nodesRetired: slab.nodesRetired)
  }
}

/// What a layer occupies.
struct MemtableStatistics: Equatable, Sendable {
  /// Keys and values written to this layer, also those that were replaced or vanished since; not those taken over.
  var entryBytes: Int
  /// Memory of the arena, including what was taken over from other layers.
  var arenaBytes: Int
  var nodeBytes: Int
  var nodesLive: Int
  /// Nodes that only older roots show, or that wait to be reused.
  var nodesRetired: Int
}
