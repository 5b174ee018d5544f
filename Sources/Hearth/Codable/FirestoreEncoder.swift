internal import Foundation

extension Firestore {
  /// Turns an `Encodable` into the dictionary that `setData` takes, numbers and booleans as `NSNumber`.
  ///
  /// The value must become a map: a struct, a class, or a dictionary with string keys. Optionals that are nil are left
  /// out. Not thread-safe.
  public final class Encoder {
    public var dateEncodingStrategy: FirebaseDataEncoder.DateEncodingStrategy {
      get { options.date ?? .timestamp }
      set { options.date = newValue }
    }
    public var dataEncodingStrategy: FirebaseDataEncoder.DataEncodingStrategy {
      get { options.data }
      set { options.data = newValue }
    }
    public var nonConformingFloatEncodingStrategy: FirebaseDataEncoder.NonConformingFloatEncodingStrategy {
      get { options.nonConformingFloat }
      set { options.nonConformingFloat = newValue }
    }
    public var keyEncodingStrategy: FirebaseDataEncoder.KeyEncodingStrategy {
      get { options.key }
      set { options.key = newValue }
    }
    public var userInfo: [CodingUserInfoKey: Any] {
      get { options.userInfo }
      set { options.userInfo = newValue }
    }

    private var options = ValueEncoder.Options()

    public init() {}

    /// - Throws: `EncodingError.invalidValue` when the value does not become a map, or for a NaN or an infinity
    ///   unless ``nonConformingFloatEncodingStrategy`` says otherwise; whatever the value's own `encode(to:)` throws.
    public func encode<T: Encodable>(_ value: T) throws -> [String: Any] {
      try encodeMap(value).boxed
    }

    func encodeMap<T: Encodable>(_ value: T) throws -> EncodedNode.MapBox {
      let encoder = ValueEncoder(options: options, codingPath: [])
      guard case .map(let map) = try encoder.encode(value, at: []) else {
        throw EncodingError.invalidValue(
          value, .init(codingPath: [], debugDescription: "A document is a map; \(T.self) does not encode as one."))
      }
      return map
    }
  }
}
