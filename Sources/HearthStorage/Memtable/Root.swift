/// One tree of a layer at one moment: its top node, or nothing.
///
/// A plain value that keeps nothing alive: whoever reads through it holds the layer and keeps the root's number
/// announced (`Memtable/reclaim(live:)`). Inner nodes use the same word for their children. When there is no node
/// the word is odd and carries the newest version at which a pair vanished there.
struct Root: Equatable, @unchecked Sendable {
  private let word: UInt

  static let empty = Root(vanished: 0)

  @inline(__always)
  init(_ node: Node) { word = UInt(bitPattern: node.start) }

  /// No node; versions stay below 2^63.
  init(vanished: UInt64) { word = UInt(truncatingIfNeeded: vanished) &<< 1 | 1 }

  @inline(__always)
  var node: Node? {
    word & 1 == 0 ? Node(UnsafeMutableRawPointer(bitPattern: word).unsafelyUnwrapped) : nil
  }

  var isEmpty: Bool { word & 1 != 0 }

  /// The newest version at which a pair vanished in this tree.
  var vanished: UInt64 { node?.vanished ?? UInt64(word &>> 1) }

  /// The newest version in this tree, of an entry or of a pair that vanished; 0 if it never held anything.
  var newest: UInt64 {
    guard let node else { return vanished }
    return max(node.newest, node.vanished)
  }

  /// The signed number of entries.
  @inline(__always)
  var total: Int { node?.total ?? 0 }
}

/// The three trees of a layer at one moment.
struct Roots: Equatable, Sendable {
  var documents = Root.empty
  var indexes = Root.empty
  var catalog = Root.empty

  @inline(__always)
  subscript(tree: TreeID) -> Root {
    get {
      switch tree {
      case .documents: documents
      case .indexes: indexes
      case .catalog: catalog
      }
    }
    set {
      switch tree {
      case .documents: documents = newValue
      case .indexes: indexes = newValue
      case .catalog: catalog = newValue
      }
    }
  }
}
