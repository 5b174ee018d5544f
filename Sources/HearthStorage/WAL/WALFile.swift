/// One log file as the writer knows it: planned by the sequencer, made real by the writer.
///
/// Everything but `handle` and `path` is fixed when the file is planned. Those two belong to whoever holds the
/// right to write the log (`WALWriter`).
final class WALFile: @unchecked Sendable {
  let header: WALFileHeader
  /// Set when the file exists under this path and its header is durable.
  var path: String?
  var handle: (any File)?
  /// A prepared file to be used: already as long as the header says.
  let spare: SpareWALFile?

  init(header: WALFileHeader, spare: SpareWALFile? = nil) {
    self.header = header
    self.spare = spare
  }
}

/// A file whose blocks exist and whose content nobody needs: a recycled one, or one made ahead.
struct SpareWALFile: Sendable, Equatable {
  var path: String
  var fileBytes: UInt64
}
