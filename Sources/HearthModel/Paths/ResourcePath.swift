/// The rules that paths of collections and documents share (semantics.md 9.1).
///
/// A path in normal form is its segments joined by single slashes. Segments hold no slash, so the text says it all, and
/// ``CollectionPath`` and ``DocumentKey`` keep nothing else.
package enum ResourcePath {
  package static let idBytesMax = 1500
  package static let pathBytesMax = 6 << 10
  package static let collectionsMax = 100

  static let slash = UInt8(ascii: "/")

  enum Kind: String {
    case collection
    case document
  }

  /// Checks `path`, relative to `base`, and returns the whole path in normal form.
  ///
  /// - Parameter base: A path in normal form, or `nil` for the root of the database.
  static func parse(_ path: String, below base: String? = nil, as kind: Kind) throws(ModelError) -> String {
    func refuse(_ why: String) -> ModelError {
      let place = base.map { " below \($0.quotedForMessage)" } ?? ""
      return .invalidArgument("\(kind.rawValue) path \(path.quotedForMessage)\(place) \(why)")
    }
    var text = Substring(path)
    // One slash at each end is ignored. Taken off as bytes: a slash with a combining mark is one Character.
    if text.utf8.first == slash { text = Substring(text.utf8.dropFirst()) }
    if text.utf8.last == slash { text = Substring(text.utf8.dropLast()) }
    if text.utf8.isEmpty { throw refuse("is empty") }
    let whole = base.map { $0 + "/" + text } ?? String(text)
    let found = whole.withUTF8Bytes { fault(in: $0, as: kind) }
    if let found { throw refuse(found) }
    return whole
  }

  /// What is wrong with a whole path, if anything.
  private static func fault(in path: UnsafeRawBufferPointer, as kind: Kind) -> String? {
    var count = 0
    var start = 0
    while start <= path.count {
      let end = segmentEnd(path, from: start)
      let segment = UnsafeRawBufferPointer(rebasing: path[start..<end])
      if segment.isEmpty { return "has an empty segment" }
      let segmentKind = count % 2 == 0 ? Kind.collection : .document
      count += 1
      if let fault = idFault(segment, as: segmentKind) { return "has \(fault) as segment \(count)" }
      start = end + 1
    }
    if (count % 2 == 1) != (kind == .collection) {
      let parity = kind == .collection ? "an odd" : "an even"
      return "has \(count) segments; a \(kind.rawValue) path needs \(parity) number"
    }
    if (count + 1) / 2 > collectionsMax {
      return "goes through \((count + 1) / 2) collections; at most 100 are allowed"
    }
    if path.count > pathBytesMax { return "has \(path.count) bytes; at most \(pathBytesMax) are allowed" }
    return nil
  }

  /// Checks one id alone.
  static func check(id: String, as kind: Kind) throws(ModelError) {
    let fault: String? = id.withUTF8Bytes { bytes in
      if bytes.isEmpty { return "is empty" }
      if bytes.contains(slash) { return "contains a slash" }
      return idFault(bytes, as: kind).map { "is \($0)" }
    }
    if let fault { throw .invalidArgument("\(kind.rawValue) id \(id.quotedForMessage) \(fault)") }
  }

  private static func idFault(_ id: UnsafeRawBufferPointer, as kind: Kind) -> String? {
    if id.count > idBytesMax { return "an id of \(id.count) bytes (at most \(idBytesMax) are allowed)" }
    let dot = UInt8(ascii: ".")
    if id.count <= 2, id.allSatisfy({ $0 == dot }) { return "the id \".\" or \"..\", which is reserved," }
    let underscore = UInt8(ascii: "_")
    if id.count >= 4, id[0] == underscore, id[1] == underscore, id[id.count - 1] == underscore,
      id[id.count - 2] == underscore
    {
      if kind == .document, NumericID.number(of: id) != nil { return nil }
      return "an id of the reserved form \"__…__\""
    }
    return nil
  }

  /// Where the segment that begins at `start` ends: at the next slash or at the end.
  @inline(__always)
  static func segmentEnd(_ path: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = start
    while end < path.count, path[end] != slash { end &+= 1 }
    return end
  }

  /// The last segment and what comes before it (`nil` for a path of one segment).
  static func split(_ path: String) -> (parent: String?, last: String) {
    let utf8 = path.utf8
    guard let index = utf8.lastIndex(of: slash) else { return (nil, path) }
    return (String(Substring(utf8[..<index])), String(Substring(utf8[utf8.index(after: index)...])))
  }

  /// Segment by segment, shorter path first; numeric ids before all others (semantics.md 2.3).
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Ordering {
    let shared = min(left.count, right.count)
    let difference = ByteOrder.commonPrefix(left, right, shared)
    if difference == left.count, difference == right.count { return .equal }
    // The bytes agree up to here, so all segments before the one that holds this place do.
    var start = difference
    while start > 0, left[start - 1] != slash { start &-= 1 }
    let leftEnd = segmentEnd(left, from: start)
    let rightEnd = segmentEnd(right, from: start)
    let a = UnsafeRawBufferPointer(rebasing: left[start..<leftEnd])
    let b = UnsafeRawBufferPointer(rebasing: right[start..<rightEnd])
    // One path may have ended with the segment before: then `start` is behind its last byte and its rest is empty.
    if a.count == b.count, difference >= leftEnd { return .of(left.count, right.count) }
    switch (NumericID.number(of: a), NumericID.number(of: b)) {
    case (let x?, let y?): return .of(x, y)
    case (_?, nil): return .less
    case (nil, _?): return .greater
    case (nil, nil): return ByteOrder.compare(a, b)
    }
  }
}
