/// What LevelDB and RocksDB share: one ordered key space, atomic batches, reads of the newest state.
///
/// Threading: any thread; a batch one at a time.
protocol LSMLibrary: AnyObject, Sendable {
  var about: EngineAbout { get }

  /// Calls `body` with the value at `key`; returns whether there is one.
  func get(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool

  /// Calls `body` for each entry from `lower` up to `upper` (excluded) until it returns `false`.
  func walk(
    from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws

  func makeBatch() -> OpaquePointer
  func put(_ batch: OpaquePointer, _ key: [UInt8], _ value: [UInt8])
  /// Commits the batch and leaves it empty.
  func write(_ batch: OpaquePointer) throws
  func destroy(_ batch: OpaquePointer)
  func close()
}

extension LSMLibrary {
  /// Throws the message that a C call left, and frees it.
  func check(_ message: inout UnsafeMutablePointer<CChar>?, _ name: String, _ free: (UnsafeMutableRawPointer?) -> Void)
    throws
  {
    guard let text = message else { return }
    defer {
      free(text)
      message = nil
    }
    throw CompareError("\(name): \(String(cString: text))")
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  var characters: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }

  @inline(__always)
  init(_ start: UnsafePointer<CChar>?, _ count: Int) {
    self.init(start: UnsafeRawPointer(start), count: count)
  }
}
