import CHearth
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file of the operating system's.
///
/// Threading: any thread, except that nothing may run beside or after ``close()``: the system gives the descriptor's
/// number to the next file it opens. Calls after it throw `.closed`.
final class POSIXFile: File {
  private let path: String
  /// -1 once closed.
  private let descriptor: Atomic<Int32>

  init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = Atomic(descriptor)
  }

  deinit { close() }

  /// What one call is asked for at most; systems refuse 2 GiB and more.
  private static let callBytesMax = 1 << 30
  /// The page cache keeps what one call wrote in pieces of up to its size, and a later small write walks over the piece
  /// it falls into: log writes were twice as slow into zeros written by the MiB.
  private static let zeroPieceBytes = 64 << 10

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError) -> Int {
    let descriptor = try openDescriptor()
    // No file reaches there, and the system's offsets are signed.
    guard let start = Int64(exactly: offset), start <= Int64.max - Int64(buffer.count) else { return 0 }
    var done = 0
    while done < buffer.count {
      let wanted = min(buffer.count - done, POSIXFile.callBytesMax)
      let count = pread(descriptor, buffer.baseAddress! + done, wanted, off_t(start) + off_t(done))
      if count < 0 {
        let number = errno
        if number == EINTR { continue }
        throw SystemCalls.error(
          "pread", number, "The file could not be read", file: path, offset: offset + UInt64(done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    let descriptor = try openDescriptor()
    guard let start = Int64(exactly: offset), start <= Int64.max - Int64(bytes.count) else {
      throw SystemCalls.error("pwrite", EFBIG, "The file could not be written", file: path, offset: offset)
    }
    var done = 0
    while done < bytes.count {
      let wanted = min(bytes.count - done, POSIXFile.callBytesMax)
      let count = pwrite(descriptor, bytes.baseAddress! + done, wanted, off_t(start) + off_t(done))
      if count < 0 {
        let number = errno
        if number == EINTR { continue }
        throw SystemCalls.error(
          "pwrite", number, "The file could not be written", file: path, offset: offset + UInt64(done))
      }
      if count == 0 {
        throw StorageError(
          .io, "The file could not be written", file: path, offset: offset + UInt64(done),
          cause: "pwrite: took no byte")
      }
      done += count
    }
  }

  /// Writes zeros, since a reservation (`fallocate`) leaves blocks that a later write must still convert, which the
  /// next sync pays for. On failure the new part is given back, so that a full disk isn't filled by the attempt.
  func allocate(_ byteCount: UInt64) throws(StorageError) {
    let oldSize = try size()
    guard byteCount > oldSize else { return }
    let piece = Int(min(UInt64(POSIXFile.zeroPieceBytes), byteCount - oldSize))
    let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 4096)
    defer { zeros.deallocate() }
    memset(zeros.baseAddress!, 0, piece)
    var end = oldSize
    do throws(StorageError) {
      while end < byteCount {
        let count = Int(min(UInt64(piece), byteCount - end))
        try write(UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: end)
        end += UInt64(count)
      }
    } catch {
      try? truncate(to: oldSize)
      throw error
    }
  }

  func truncate(to byteCount: UInt64) throws(StorageError) {
    let descriptor = try openDescriptor()
    guard let size = off_t(exactly: byteCount) else {
      throw SystemCalls.error("ftruncate", EFBIG, "The file could not be resized", file: path, offset: byteCount)
    }
    while ftruncate(descriptor, size) != 0 {
      let number = errno
      if number != EINTR {
        throw SystemCalls.error("ftruncate", number, "The file could not be resized", file: path, offset: byteCount)
      }
    }
  }

  func size() throws(StorageError) -> UInt64 {
    var status = stat()
    guard fstat(try openDescriptor(), &status) == 0 else {
      throw SystemCalls.error("fstat", errno, "The file's size could not be read", file: path)
    }
    return UInt64(status.st_size)
  }

  func sync() throws(StorageError) {
    let descriptor = try openDescriptor()
    while true {
      let number = hearth_sync_file(descriptor)
      if number == 0 { return }
      if number != EINTR {
        throw SystemCalls.error("fdatasync", number, "The file could not be made durable", file: path)
      }
    }
  }

  func close() {
    let descriptor = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
    guard descriptor >= 0 else { return }
    // Whatever it returns, the descriptor is gone; what must be durable was synced before.
    closeDescriptor(descriptor)
  }

  private func openDescriptor() throws(StorageError) -> Int32 {
    let descriptor = descriptor.load(ordering: .acquiring)
    guard descriptor >= 0 else { throw StorageError(.closed, "The file is closed", file: path) }
    return descriptor
  }
}

/// `close` of the system, out of reach where a method has that name.
func closeDescriptor(_ descriptor: Int32) {
  _ = close(descriptor)
}
