/// How an engine is opened.
package struct StorageOptions: Sendable, Equatable {
  /// Opens without lock and without changing a byte; commits throw `.readOnly`.
  package var readOnly = false
  /// Create the folder's files when it holds no database yet.
  package var createIfMissing = true
  /// Memory that the newest changes may take before they are merged into the trees. Twice that is never exceeded but by one
  /// commit: then commits wait.
  package var memtableBudgetBytes = 64 << 20
  /// Memory for pages of the trees.
  package var pageCacheBytes = 256 << 20
  /// How large pages become.
  package var pageBytes = 16 << 10
  /// A segment file that has so many bytes gets no more pages.
  package var segmentBytesMin = 64 << 20
  /// Size of the first log file; later ones double up to ``logFileBytesMax``.
  package var logFileBytesMin = 64 << 10
  package var logFileBytesMax = 64 << 20
  /// So much log since the last checkpoint is a reason for the next one.
  package var logBytesMax = 128 << 20
  /// So many bytes of `.buffered` commits are synced before their time, beside the writers: a log file is synced whole
  /// before the next one begins, and the commit that waits for that should not wait for much.
  package var unsyncedBytesMax = 8 << 20

  package init() {}

  /// A batch of more bytes, or of more than a quarter of the memtable's budget, is written in parts and becomes a layer of
  /// its own.
  package var largeBatchBytesMax = 16 << 20

  var largeBatchBytes: Int { max(1, min(memtableBudgetBytes / 4, largeBatchBytesMax)) }
  /// About how much of a large batch one frame takes.
  var framePayloadBytes: Int { min(largeBatchBytes, 4 << 20) }
}
