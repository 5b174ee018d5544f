/// A map from field names to values: the fields of a document, or a map inside it.
///
/// Names are UTF-8 bytes, so it can hold two names that Swift's `String` takes for equal. The entries are sorted by
/// those bytes and no name occurs twice. `==` and hashing are identity (see ``Value``).
package struct MapValue: Sendable {
  package struct Entry: Sendable {
    package let name: String
    package var value: Value

    package init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  package private(set) var entries: [Entry]

  package init() { entries = [] }

  /// Takes entries in any order; of several with one name the last counts.
  package init(_ entries: some Sequence<Entry>) {
    // The sort is stable, so of equal names the last one given is the last one here.
    let sorted = entries.sorted { $0.name.compareUTF8($1.name) == .less }
    let repeats = zip(sorted, sorted.dropFirst()).contains { $0.name.equalsUTF8($1.name) }
    guard repeats else {
      self.entries = sorted
      return
    }
    self.entries = []
    for entry in sorted {
      if let last = self.entries.last, last.name.equalsUTF8(entry.name) {
        self.entries[self.entries.count - 1] = entry
      } else {
        self.entries.append(entry)
      }
    }
  }

  package init(_ pairs: some Sequence<(String, Value)>) {
    self.init(pairs.map { Entry(name: $0.0, value: $0.1) })
  }

  /// Takes entries that are already sorted by name, without repetition.
  package init(sorted entries: [Entry]) {
    assert(
      zip(entries, entries.dropFirst()).allSatisfy { $0.name.compareUTF8($1.name) == .less },
      "entries of a map must ascend by name")
    self.entries = entries
  }

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }
}

extension MapValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}

extension MapValue: Hashable {
  package static func == (left: MapValue, right: MapValue) -> Bool {
    left.entries.count == right.entries.count
      && zip(left.entries, right.entries).allSatisfy { $0.name.equalsUTF8($1.name) && $0.value == $1.value }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(entries.count)
    for entry in entries {
      entry.name.hashUTF8(into: &hasher)
      hasher.combine(entry.value)
    }
  }
}

extension MapValue {
  /// The value of one field of this map, by its literal name. Setting `nil` removes the field.
  package subscript(name: String) -> Value? {
    get {
      let (index, found) = position(of: name)
      return found ? entries[index].value : nil
    }
    set {
      let (index, found) = position(of: name)
      switch (newValue, found) {
      case (let value?, true): entries[index].value = value
      case (let value?, false): entries.insert(Entry(name: name, value: value), at: index)
      case (nil, true): entries.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// Where `name` is, or where it would be inserted.
  private func position(of name: String) -> (index: Int, found: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      switch entries[middle].name.compareUTF8(name) {
      case .less: low = middle + 1
      case .equal: return (middle, true)
      case .greater: high = middle
      }
    }
    return (low, false)
  }
}

extension MapValue {
  /// The value at a path, or `nil` if a name is missing or the path runs through something that is not a map.
  package subscript(path: FieldPath) -> Value? {
    var map = self
    for name in path.segments.dropLast() {
      guard case .map(let inner)? = map[name] else { return nil }
      map = inner
    }
    return map[path.segments[path.segments.count - 1]]
  }

  /// Sets the value at a path. Every parent that is missing or not a map becomes a map (semantics.md 10.5).
  package mutating func set(_ value: Value, at path: FieldPath) {
    set(value, at: path.segments[...])
  }

  private mutating func set(_ value: Value, at segments: ArraySlice<String>) {
    let name = segments[segments.startIndex]
    if segments.count == 1 {
      self[name] = value
      return
    }
    let (index, found) = position(of: name)
    var inner = MapValue()
    if found {
      if case .map(let map) = entries[index].value { inner = map }
      // Leaves `inner` as the only owner of its entries, so that they are changed in place.
      entries[index].value = .null
    } else {
      entries.insert(Entry(name: name, value: .null), at: index)
    }
    inner.set(value, at: segments.dropFirst())
    entries[index].value = .map(inner)
  }

  /// Deletes the field at a path. Nothing happens, and no parent is made, if it is missing or a parent is not a map.
  package mutating func delete(at path: FieldPath) {
    guard self[path] != nil else { return }
    delete(at: path.segments[...])
  }

  private mutating func delete(at segments: ArraySlice<String>) {
    let name = segments[segments.startIndex]
    let (index, found) = position(of: name)
    guard found else { return }
    if segments.count == 1 {
      entries.remove(at: index)
    } else if case .map(var inner) = entries[index].value {
      entries[index].value = .null
      inner.delete(at: segments.dropFirst())
      entries[index].value = .map(inner)
    }
  }
}
