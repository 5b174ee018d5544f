#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The bytes of one file in memory: chunks that come into being when first written, zeros where there is none.
///
/// Threading: any thread; one lock per file.
final class MemoryNode: @unchecked Sendable {
  /// Large enough that sequential writing is copying, small enough that a tiny database stays tiny.
  private static let chunkBytes = 64 << 10

  private let mutex = Lock()
  // Guarded by `mutex`.
  private var chunks: [UnsafeMutableRawPointer?] = []
  private var byteCount = 0
  private var owner: LockOwner?

  deinit {
    for chunk in chunks { chunk?.deallocate() }
  }

  var size: Int { mutex.withLock { byteCount } }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
    mutex.withLock {
      guard let start = Int(exactly: offset), start < byteCount else { return 0 }
      let count = min(buffer.count, byteCount - start)
      var done = 0
      while done < count {
        let (chunk, from) = (start + done).quotientAndRemainder(dividingBy: MemoryNode.chunkBytes)
        let piece = min(count - done, MemoryNode.chunkBytes - from)
        if let source = chunks[chunk] {
          memcpy(buffer.baseAddress! + done, source + from, piece)
        } else {
          memset(buffer.baseAddress! + done, 0, piece)
        }
        done += piece
      }
      return count
    }
  }

  /// - Returns: `false` when no file can reach that far.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool {
    mutex.withLock {
      guard let start = Int(exactly: offset), start <= Int.max - bytes.count else { return false }
      guard !bytes.isEmpty else { return true }
      guard makeRoom(start + bytes.count) else { return false }
      var done = 0
      while done < bytes.count {
        let (chunk, from) = (start + done).quotientAndRemainder(dividingBy: MemoryNode.chunkBytes)
        let piece = min(bytes.count - done, MemoryNode.chunkBytes - from)
        memcpy(writableChunk(chunk, isCovered: piece == MemoryNode.chunkBytes) + from, bytes.baseAddress! + done, piece)
        done += piece
      }
      byteCount = max(byteCount, start + bytes.count)
      return true
    }
  }

  /// - Returns: `false` when no file can be that long.
  func extend(to newCount: UInt64) -> Bool {
    mutex.withLock {
      guard let newCount = Int(exactly: newCount), makeRoom(newCount) else { return false }
      byteCount = max(byteCount, newCount)
      return true
    }
  }

  /// - Returns: `false` when no file can be that long.
  func truncate(to newCount: UInt64) -> Bool {
    mutex.withLock {
      guard let newCount = Int(exactly: newCount), makeRoom(newCount) else { return false }
      if newCount < byteCount {
        let (chunk, from) = newCount.quotientAndRemainder(dividingBy: MemoryNode.chunkBytes)
        // What is cut off must read as zeros when the file grows again.
        let firstGone = from == 0 ? chunk : chunk + 1
        for index in firstGone..<chunks.count { chunks[index]?.deallocate() }
        chunks.removeLast(chunks.count - firstGone)
        if from > 0, let last = chunks[chunk] { memset(last + from, 0, MemoryNode.chunkBytes - from) }
      }
      byteCount = newCount
      return true
    }
  }

  /// Takes the lock for `owner`; the holder when there is one already.
  func lock(for newOwner: LockOwner) -> LockOwner? {
    mutex.withLock {
      if let owner { return owner }
      owner = newOwner
      return nil
    }
  }

  func unlock() {
    mutex.withLock { owner = nil }
  }

  var lockOwner: LockOwner? { mutex.withLock { owner } }

  /// A bound on the list of chunks: 16 TiB, as real file systems have one.
  private static let fileBytesMax = 16 << 40

  private func makeRoom(_ byteCount: Int) -> Bool {
    guard byteCount <= MemoryNode.fileBytesMax else { return false }
    let needed = (byteCount + MemoryNode.chunkBytes - 1) / MemoryNode.chunkBytes
    if needed > chunks.count { chunks.append(contentsOf: repeatElement(nil, count: needed - chunks.count)) }
    return true
  }

  private func writableChunk(_ index: Int, isCovered: Bool) -> UnsafeMutableRawPointer {
    if let chunk = chunks[index] { return chunk }
    let chunk = UnsafeMutableRawPointer.allocate(byteCount: MemoryNode.chunkBytes, alignment: 16)
    if !isCovered { memset(chunk, 0, MemoryNode.chunkBytes) }
    chunks[index] = chunk
    return chunk
  }
}
