/// How an engine is opened.
package struct StorageOptions: Sendable, Equatable {
  /// Opens without lock and without changing a byte; commits throw `.readOnly`.
  package var readOnly = false
  /// Create the folder's files when it holds no database yet.
  package var createIfMissing = true
  /// Bytes of keys and values that the active memtable may hold before it counts as full.
  package var memtableBudgetBytes = 64 << 20
  /// Size of the first log file; later ones double up to ``logFileBytesMax``.
  package var logFileBytesMin = 64 << 10
  package var logFileBytesMax = 64 << 20
  /// The log may exceed four times the state by this much before a new base is written.
  package var logSlackBytes = 64 << 20
  /// So many bytes of `.buffered` commits are synced before their time, beside the writers: a log file is synced whole
  /// before the next one begins, and the commit that waits for that should not wait for much.
  package var unsyncedBytesMax = 8 << 20

  package init() {}

  /// A larger batch is written in parts and becomes a memtable layer of its own.
  var largeBatchBytes: Int { max(1, min(memtableBudgetBytes / 4, 16 << 20)) }
  /// About how much of a large batch one frame takes.
  var framePayloadBytes: Int { min(largeBatchBytes, 4 << 20) }
}
