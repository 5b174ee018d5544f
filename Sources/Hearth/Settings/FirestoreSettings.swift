public import Dispatch
public import Foundation

/// Tells the cache never to shrink. Accepted; Hearth never evicts in any case.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let FirestoreCacheSizeUnlimited: Int64 = -1

/// How a database is opened and where its handlers run.
///
/// Settings are read when an instance is first used; changing them afterwards changes nothing (the change is
/// logged). `==` compares values.
///
/// Threading: not thread-safe; hand each thread its own copy.
public final class FirestoreSettings: NSObject, NSCopying {
  /// What a write waits for before it is acknowledged.
  public enum Durability: Sendable, Hashable {
    /// Synced to the disk: survives a power cut. The default.
    case durable
    /// Handed to the operating system: survives the end of the process, and within about a second a power cut.
    case buffered
  }

  /// Kept and ignored: there is no server.
  public var host = "firestore.googleapis.com"
  /// Kept and ignored: there is no server.
  public var isSSLEnabled = true
  /// The queue on which every handler runs, one after the other; the main queue by default.
  ///
  /// A concurrent queue is fine: handlers of one instance still never overlap.
  public var dispatchQueue: DispatchQueue = .main
  /// The kind of store: a folder (``PersistentCacheSettings``, the default) or memory (``MemoryCacheSettings``).
  public var cacheSettings: any LocalCacheSettings & NSObjectProtocol = PersistentCacheSettings()
  /// What a write waits for before it is acknowledged.
  public var durability = Durability.durable

  /// `false` asks for a database in memory. Set ``cacheSettings`` instead.
  public var isPersistenceEnabled: Bool {
    get { !(cacheSettings is MemoryCacheSettings) }
    set { cacheSettings = newValue ? PersistentCacheSettings() : MemoryCacheSettings() }
  }

  /// Bytes. Kept and ignored: a store must not evict.
  public var cacheSizeBytes: Int64 = 100 << 20

  public override init() {}

  /// A copy that can be changed on its own.
  public func copy(with zone: NSZone? = nil) -> Any { copied() }

  func copied() -> FirestoreSettings {
    let copy = FirestoreSettings()
    copy.host = host
    copy.isSSLEnabled = isSSLEnabled
    copy.dispatchQueue = dispatchQueue
    copy.cacheSettings = cacheSettings
    copy.durability = durability
    copy.cacheSizeBytes = cacheSizeBytes
    return copy
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? FirestoreSettings else { return false }
    return host == other.host && isSSLEnabled == other.isSSLEnabled
      && FirestoreSettings.isSame(dispatchQueue, other.dispatchQueue)
      && cacheSettings.isEqual(other.cacheSettings) && durability == other.durability
      && cacheSizeBytes == other.cacheSizeBytes
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(host)
    hasher.combine(isSSLEnabled)
    hasher.combine(dispatchQueue.label)
    hasher.combine(cacheSettings.hash)
    hasher.combine(durability)
    hasher.combine(cacheSizeBytes)
    return hasher.finalize()
  }

  /// On Linux each mention of the main queue is another object, so that one is known by its label.
  private static func isSame(_ left: DispatchQueue, _ right: DispatchQueue) -> Bool {
    left === right || left.label == right.label && left.label == DispatchQueue.main.label
  }
}
