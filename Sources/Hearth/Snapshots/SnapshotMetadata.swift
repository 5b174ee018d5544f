public import Foundation

/// Says where a snapshot came from. In Hearth nothing is ever pending and the store is the authority, so both are false.
public final class SnapshotMetadata: NSObject, @unchecked Sendable {
  public let hasPendingWrites = false
  public let isFromCache = false

  static let stored = SnapshotMetadata()

  override init() {}

  public override func isEqual(_ object: Any?) -> Bool { object is SnapshotMetadata }
  public override var hash: Int { 0 }
}
