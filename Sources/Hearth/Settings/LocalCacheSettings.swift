public import Foundation

/// Marks a kind of store: ``PersistentCacheSettings`` or ``MemoryCacheSettings``.
public protocol LocalCacheSettings {}

/// Marks an eviction policy. Hearth never evicts; the policies exist so that code written for the SDK compiles.
public protocol MemoryGarbageCollectorSettings {}

/// Asks for a database in a folder, the default.
///
/// Threading: immutable.
public final class PersistentCacheSettings: NSObject, LocalCacheSettings, @unchecked Sendable {
  /// The size asked for, in bytes. Kept and ignored: a store must not evict.
  let sizeBytes: Int64

  public override convenience init() {
    self.init(sizeBytes: NSNumber(value: 100 << 20 as Int64))
  }

  /// - Parameter sizeBytes: Kept and ignored.
  public init(sizeBytes: NSNumber) {
    self.sizeBytes = sizeBytes.int64Value
  }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? PersistentCacheSettings)?.sizeBytes == sizeBytes
  }

  public override var hash: Int { sizeBytes.hashValue }
}

/// Asks for a database that lives in memory only and is gone when it is closed.
///
/// Threading: immutable.
public final class MemoryCacheSettings: NSObject, LocalCacheSettings, @unchecked Sendable {
  let garbageCollectorSettings: any MemoryGarbageCollectorSettings & NSObjectProtocol

  public override convenience init() {
    self.init(garbageCollectorSettings: MemoryEagerGCSetting())
  }

  /// - Parameter garbageCollectorSettings: Kept and ignored.
  public init(garbageCollectorSettings: any MemoryGarbageCollectorSettings & NSObjectProtocol) {
    self.garbageCollectorSettings = garbageCollectorSettings
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MemoryCacheSettings else { return false }
    return garbageCollectorSettings.isEqual(other.garbageCollectorSettings)
  }

  public override var hash: Int { garbageCollectorSettings.hash }
}

/// Accepted and ignored.
public final class MemoryEagerGCSetting: NSObject, MemoryGarbageCollectorSettings, @unchecked Sendable {
  public override init() {}

  public override func isEqual(_ object: Any?) -> Bool { object is MemoryEagerGCSetting }
  public override var hash: Int { 1 }
}

/// Accepted and ignored.
public final class MemoryLRUGCSettings: NSObject, MemoryGarbageCollectorSettings, @unchecked Sendable {
  let sizeBytes: Int64

  public override convenience init() {
    self.init(sizeBytes: NSNumber(value: 100 << 20 as Int64))
  }

  public init(sizeBytes: NSNumber) {
    self.sizeBytes = sizeBytes.int64Value
  }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? MemoryLRUGCSettings)?.sizeBytes == sizeBytes
  }

  public override var hash: Int { sizeBytes.hashValue }
}
