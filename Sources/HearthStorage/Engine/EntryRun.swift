/// Keys and values that a ``View/Cursor`` copied out, in the order it met them. Reused from run to run.
///
/// Inlinable so that reading an entry is no call across the module border.
@usableFromInline
package struct EntryRun: Sendable {
  /// Where one entry's key begins, its value begins, and its value ends in `bytes`.
  @usableFromInline
  struct Place: Sendable {
    @usableFromInline var key: Int
    @usableFromInline var value: Int
    @usableFromInline var end: Int

    @usableFromInline
    init(key: Int, value: Int, end: Int) {
      self.key = key
      self.value = value
      self.end = end
    }
  }

  @usableFromInline var bytes: [UInt8] = []
  @usableFromInline var places: [Place] = []

  @inlinable
  package init() {}

  @inlinable
  package var count: Int { places.count }

  @inlinable
  package var isEmpty: Bool { places.isEmpty }

  @inlinable
  package func key(_ index: Int) -> ArraySlice<UInt8> { bytes[places[index].key..<places[index].value] }

  @inlinable
  package func value(_ index: Int) -> ArraySlice<UInt8> { bytes[places[index].value..<places[index].end] }

  /// Calls `body` with an entry's bytes in place.
  @inlinable
  package func withEntry<R>(
    _ index: Int, _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    let place = places[index]
    return try bytes.withUnsafeBytes { bytes in
      try body(
        UnsafeRawBufferPointer(rebasing: bytes[place.key..<place.value]),
        UnsafeRawBufferPointer(rebasing: bytes[place.value..<place.end]))
    }
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  mutating func append(_ key: KeyBytes, _ value: UnsafeRawBufferPointer) {
    let start = bytes.count
    bytes.append(contentsOf: key.bytes)
    let valueStart = bytes.count
    bytes.append(contentsOf: value)
    places.append(Place(key: start, value: valueStart, end: bytes.count))
  }
}
