internal import Foundation

/// What ``ValueEncoder`` made of an `Encodable`: a tree of the types that a document holds, sentinels among them.
///
/// Maps and arrays are objects because encoding fills them bit by bit: a container may be asked for twice, and one made
/// by `superEncoder()` is filled after its parent moved on.
enum EncodedNode {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Above `Int64.max`; the write refuses it.
  case unsigned(UInt64)
  case double(Double)
  case string(String)
  case bytes(Data)
  case timestamp(Timestamp)
  case geoPoint(GeoPoint)
  case vector(VectorValue)
  case reference(DocumentReference)
  case sentinel(FieldValue)
  case array(ArrayBox)
  case map(MapBox)
  /// Filled by a super encoder, perhaps later.
  case deferred(ValueEncoder)

  final class ArrayBox {
    var elements: [EncodedNode] = []
  }

  final class MapBox {
    private(set) var entries: [(name: String, value: EncodedNode)] = []

    /// The entry encoded last under this name, for a container that is asked for twice.
    func value(named name: String) -> EncodedNode? {
      entries.first { $0.name == name }?.value
    }

    func set(_ name: String, _ value: EncodedNode) {
      entries.append((name, value))
    }

    func replace(_ name: String, _ value: EncodedNode) {
      if let index = entries.firstIndex(where: { $0.name == name }) {
        entries[index].value = value
      } else {
        set(name, value)
      }
    }
  }

  /// The tree as app code sees it: numbers boxed, maps as dictionaries.
  var boxed: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .unsigned(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .string(let value): value
    case .bytes(let value): value
    case .timestamp(let value): value
    case .geoPoint(let value): value
    case .vector(let value): value
    case .reference(let value): value
    case .sentinel(let value): value
    case .array(let box): box.elements.map(\.boxed)
    case .map(let box): box.boxed
    case .deferred(let encoder): encoder.result.boxed
    }
  }
}

extension EncodedNode.MapBox {
  var boxed: [String: Any] {
    Dictionary(entries.map { ($0.name, $0.value.boxed) }, uniquingKeysWith: { _, last in last })
  }
}
