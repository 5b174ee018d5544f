/// The nodes of one layer: memory in slabs, a list of free ones, and the records that tell when a node may be reused.
///
/// A change copies the nodes on its path. A node it replaces is *retired*: roots with numbers in [birth, retirement)
/// still show it. It is freed once the retirement is published (so that no rollback brings it back) and no live
/// number lies in that interval. A root that is held therefore costs at most one copy of the nodes, however many
/// changes follow.
///
/// Threading: the layer's writer alone. Readers only follow pointers.
struct NodeSlab {
  private struct Born: BitwiseCopyable {
    var node: UnsafeMutableRawPointer
    var birth: UInt64
  }

  private struct Retired: BitwiseCopyable {
    var node: UnsafeMutableRawPointer
    var birth: UInt64
    var retirement: UInt64
  }

  /// Where full-size blocks come from, if set.
  var reserve: BlockReserve?
  private var slabs = RawStack<UnsafeMutableRawPointer>()
  private var freeList: UnsafeMutableRawPointer?
  private var next = UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  private var room = 0

  /// Nodes made by changes that may still be rolled back, in order of birth.
  private var born = RawStack<Born>()
  /// Nodes replaced by changes that may still be rolled back, in order of retirement.
  private var revocable = RawStack<Retired>()
  /// Retired for good, not looked at by `reclaim` yet.
  private var fresh = RawStack<Retired>()
  /// Retired for good but shown by the root of a live number, under the smallest such number: they are looked at
  /// again only when that number has died.
  private var held: [UInt64: [Retired]] = [:]

  private var published: UInt64 = 0

  private(set) var nodeBytes = 0
  private var nodesHandedOut = 0
  private var nodesFree = 0
  private var nodesHeld = 0

  /// Nodes that only older roots show, or none.
  var nodesRetired: Int { revocable.count + fresh.count + nodesHeld }
  var nodesLive: Int { nodesHandedOut - nodesFree - nodesRetired }

  func deallocate() {
    for index in 0..<slabs.count { slabs[index].deallocate() }
    slabs.deallocate()
    born.deallocate()
    revocable.deallocate()
    fresh.deallocate()
  }

  /// An uninitialised node.
  @inline(__always)
  mutating func allocate(birth: UInt64) -> Node {
    let start = take()
    born.append(Born(node: start, birth: birth))
    return Node(start)
  }

  @inline(__always)
  private mutating func take() -> UnsafeMutableRawPointer {
    if let start = freeList {
      freeList = start.load(as: UnsafeMutableRawPointer?.self)
      nodesFree &-= 1
      return start
    }
    if room == 0 { grow() }
    let start = next
    next += Node.byteCount
    room &-= 1
    nodesHandedOut &+= 1
    return start
  }

  @inline(never)
  private mutating func grow() {
    let byteCount = LargeBlock.byteCount(after: slabs.count)
    next = LargeBlock.allocate(byteCount, from: reserve)
    slabs.append(next)
    room = byteCount / Node.byteCount
    nodeBytes += byteCount
  }

  @inline(__always)
  mutating func retire(_ node: Node, at number: UInt64) {
    revocable.append(Retired(node: node.start, birth: node.birth, retirement: number))
  }

  private mutating func free(_ start: UnsafeMutableRawPointer) {
    start.storeBytes(of: freeList, as: UnsafeMutableRawPointer?.self)
    freeList = start
    nodesFree &+= 1
  }

  /// Changes up to `number` are there to stay.
  mutating func publish(_ number: UInt64) {
    precondition(number >= published, "published \(number) after \(published)")
    published = number
    if let last = born.last, last.birth <= number {
      born.removeAll()
    } else {
      born.removeFirst(born.partitioningIndex { $0.birth > number })
    }
    let count = revocable.partitioningIndex { $0.retirement > number }
    for index in 0..<count { fresh.append(revocable[index]) }
    revocable.removeFirst(count)
  }

  /// Forgets the changes above `number`; roots with such numbers, up to `highest`, may still be read.
  mutating func rollback(to number: UInt64, highest: UInt64) {
    precondition(number >= published, "rollback to \(number) although \(published) is published")
    // What later changes replaced is current again, unless a later change had made it: then it is in `born`, too.
    revocable.removeLast(revocable.count - revocable.partitioningIndex { $0.retirement > number })
    let kept = born.partitioningIndex { $0.birth > number }
    for index in kept..<born.count {
      fresh.append(Retired(node: born[index].node, birth: born[index].birth, retirement: highest + 1))
    }
    born.removeLast(born.count - kept)
  }

  /// Frees what no number in `live` (ascending) shows.
  mutating func reclaim(live: UnsafeBufferPointer<UInt64>, onlyFresh: Bool) {
    for index in 0..<fresh.count { settle(fresh[index], live) }
    fresh.removeAll()
    guard nodesHeld > 0, !onlyFresh else { return }
    let dead = held.keys.filter { NodeSlab.firstNumber(in: live, from: $0) != $0 }
    for number in dead {
      let nodes = held.removeValue(forKey: number) ?? []
      nodesHeld -= nodes.count
      for node in nodes { settle(node, live) }
    }
  }

  @inline(__always)
  private mutating func settle(_ node: Retired, _ live: UnsafeBufferPointer<UInt64>) {
    if let holder = NodeSlab.firstNumber(in: live, from: node.birth), holder < node.retirement {
      held[holder, default: []].append(node)
      nodesHeld += 1
    } else {
      free(node.node)
    }
  }

  /// The smallest number in `live` that is at least `number`.
  @inline(__always)
  private static func firstNumber(in live: UnsafeBufferPointer<UInt64>, from number: UInt64) -> UInt64? {
    // Old numbers are few and nearly all nodes are young: look at the newest first.
    guard let newest = live.last, newest >= number else { return nil }
    var low = 0
    var length = live.count
    while length > 0 {
      let half = length / 2
      if live[low + half] < number {
        low += half + 1
        length -= half + 1
      } else {
        length = half
      }
    }
    return live[low]
  }
}
