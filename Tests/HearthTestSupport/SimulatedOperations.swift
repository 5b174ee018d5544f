/// Where an operation that the program has done stands on the simulated disk.
enum SimulatedState: Sendable, Equatable {
  /// A crash may keep it or lose it; the next sync makes it durable.
  case pending
  /// A failed sync marked it clean: a crash may keep or lose it, and no later sync will help.
  case abandoned
  /// Every crash keeps it.
  case durable
}

/// A change of one file that its durable bytes don't have yet.
struct SimulatedFileOperation: Sendable {
  enum Change: Sendable {
    /// Bytes at an offset; alone it doesn't change the size.
    case write(Int, [UInt8])
    /// The zeros that an allocation writes.
    case zeros(Range<Int>)
    /// The size, grown or cut.
    case size(Int)
  }

  var change: Change
  var state = SimulatedState.pending
  /// The number of the call that made it.
  var call: Int
}

/// A change of folders that the durable folders don't have yet. Nodes are named by number, so that an operation on a
/// name whose history was lost can't reach another file of the same name.
struct SimulatedDirectoryOperation: Sendable {
  enum Change: Sendable {
    case link(directory: Int, name: String, node: Int)
    case unlink(directory: Int, name: String, node: Int)
    case rename(from: Int, oldName: String, into: Int, newName: String, node: Int, replaced: Int?)
  }

  var change: Change
  var state = SimulatedState.pending
  /// A rename between two folders is durable once both are synced.
  var unsyncedDirectories: Set<Int>
  var call: Int

  /// Applies the change if what it needs is there: an entry that a lost operation was to make can't be moved, and a
  /// place that a lost operation was to free can't be taken, or the file there would be gone by half a rename.
  func apply(to directories: inout [Int: [String: Int]]) {
    switch change {
    case .link(let directory, let name, let node):
      if directories[directory]?[name] == nil { directories[directory, default: [:]][name] = node }
    case .unlink(let directory, let name, let node):
      if directories[directory]?[name] == node { directories[directory]?[name] = nil }
    case .rename(let from, let oldName, let into, let newName, let node, let replaced):
      guard directories[from]?[oldName] == node else { return }
      let occupant = directories[into]?[newName]
      guard occupant == nil || occupant == replaced else { return }
      directories[from]?[oldName] = nil
      directories[into, default: [:]][newName] = node
    }
  }
}

/// One file: what the program sees, what is surely on disk, and what lies between.
struct SimulatedFileNode: Sendable {
  var live = SimulatedBytes()
  var durable = SimulatedBytes()
  /// In the order of the calls. Durable ones stay as long as an undecided one comes before them.
  var operations: [SimulatedFileOperation] = []
  var openCount = 0
  /// Whether a name leads to it, as the program sees it.
  var isLinked = true
  var lockOwnerToken: Int?

  mutating func makeDurable() {
    for index in operations.indices where operations[index].state == .pending { operations[index].state = .durable }
    if operations.allSatisfy({ $0.state == .durable }) {
      durable = live
      operations = []
    }
  }

  mutating func abandon() {
    for index in operations.indices where operations[index].state == .pending { operations[index].state = .abandoned }
  }
}
