public import Foundation

/// How a document's place in a result changed.
@frozen
public enum DocumentChangeType: Int, Sendable {
  case added = 0
  case modified = 1
  case removed = 2
}

/// One change between two snapshots of a query. Applied one after the other, the changes turn the old list into the new.
///
/// Threading: immutable.
public final class DocumentChange: NSObject, @unchecked Sendable {
  public let type: DocumentChangeType
  public let document: QueryDocumentSnapshot
  /// `UInt(NSNotFound)` for an addition.
  public let oldIndex: UInt
  /// `UInt(NSNotFound)` for a removal.
  public let newIndex: UInt

  init(type: DocumentChangeType, document: QueryDocumentSnapshot, oldIndex: UInt, newIndex: UInt) {
    self.type = type
    self.document = document
    self.oldIndex = oldIndex
    self.newIndex = newIndex
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? DocumentChange else { return false }
    return type == other.type && document == other.document && oldIndex == other.oldIndex
      && newIndex == other.newIndex
  }

  public override var hash: Int { document.hash ^ type.rawValue }
}
