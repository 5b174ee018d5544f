/// Memory of a layer's entries, filled from front to back. Counted, so that a layer may take over another's.
final class ArenaChunk: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let capacity: Int

  init(capacity: Int, from reserve: BlockReserve?) {
    self.capacity = capacity
    start = LargeBlock.allocate(capacity, from: reserve)
  }

  deinit { start.deallocate() }
}

/// A bump allocator of entries. Only the layer's writer touches it; what it handed out is never changed again.
struct EntryArena {
  /// Where full-size chunks come from, if set.
  var reserve: BlockReserve?
  private(set) var chunks: [ArenaChunk] = []
  private var chunksOwned = 0
  private var next = UnsafeMutableRawPointer(bitPattern: Entry.alignment).unsafelyUnwrapped
  private var room = 0

  /// Bytes of keys and values written here, also of entries that were replaced since.
  private(set) var entryBytes = 0
  /// Memory held, taken over or own.
  private(set) var arenaBytes = 0

  @inline(__always)
  mutating func append(
    _ kind: EntryKind, version: UInt64, oldSize: Int, key: KeyBytes, value: UnsafeRawBufferPointer
  ) -> Entry {
    let payload = key.count &+ value.count
    let size = (Entry.headerBytes &+ payload &+ (Entry.alignment &- 1)) & ~(Entry.alignment &- 1)
    let start = take(size)
    Entry.writeHeader(
      to: start, version: version, oldSize: oldSize, keyBytes: key.count, valueBytes: value.count)
    let keyStart = start + Entry.headerBytes
    keyStart.copyMemory(from: key.start, byteCount: key.count)
    if let source = value.baseAddress {
      (keyStart + key.count).copyMemory(from: source, byteCount: value.count)
    }
    entryBytes &+= payload
    return Entry(UnsafeRawPointer(start), kind)
  }

  @inline(__always)
  private mutating func take(_ size: Int) -> UnsafeMutableRawPointer {
    if size > room { return takeFromNewChunk(size) }
    let start = next
    next += size
    room &-= size
    return start
  }

  /// An entry larger than a chunk gets one of its own, and the chunk in use stays in use.
  @inline(never)
  private mutating func takeFromNewChunk(_ size: Int) -> UnsafeMutableRawPointer {
    let usual = LargeBlock.byteCount(after: chunksOwned)
    let chunk = ArenaChunk(capacity: max(size, usual), from: reserve)
    chunks.append(chunk)
    arenaBytes += chunk.capacity
    if size <= usual {
      chunksOwned += 1
      next = chunk.start + size
      room = chunk.capacity - size
    }
    return chunk.start
  }

  /// Keeps the other arena's entries alive for as long as this one.
  mutating func adopt(_ other: EntryArena) {
    chunks.append(contentsOf: other.chunks)
    arenaBytes += other.arenaBytes
  }
}
