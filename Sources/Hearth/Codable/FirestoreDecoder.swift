internal import HearthModel

extension Firestore {
  /// Turns a document's dictionary into a `Decodable`.
  ///
  /// Numbers and booleans never convert into each other; a double decodes as an integer only when it is whole and in
  /// range. Not thread-safe.
  public final class Decoder {
    public var dateDecodingStrategy: FirebaseDataDecoder.DateDecodingStrategy {
      get { options.date ?? .timestamp }
      set { options.date = newValue }
    }
    public var dataDecodingStrategy: FirebaseDataDecoder.DataDecodingStrategy {
      get { options.data }
      set { options.data = newValue }
    }
    public var nonConformingFloatDecodingStrategy: FirebaseDataDecoder.NonConformingFloatDecodingStrategy {
      get { options.nonConformingFloat }
      set { options.nonConformingFloat = newValue }
    }
    public var keyDecodingStrategy: FirebaseDataDecoder.KeyDecodingStrategy {
      get { options.key }
      set { options.key = newValue }
    }
    public var userInfo: [CodingUserInfoKey: Any] {
      get { options.userInfo }
      set { options.userInfo = newValue }
    }

    private var options = ValueDecoder.Options()

    public init() {}

    /// Decodes without a document, so that ``DocumentID`` properties cannot be filled.
    ///
    /// - Throws: `DecodingError`, or a ``FirestoreErrorCode`` `invalidArgument` for data that no document can hold.
    public func decode<T: Decodable>(_ t: T.Type, from data: Any) throws -> T {
      try decode(t, from: data, in: nil)
    }

    /// - Parameter reference: The document the data comes from; fills ``DocumentID`` properties.
    /// - Throws: As ``decode(_:from:)``.
    public func decode<T: Decodable>(
      _ t: T.Type, from data: Any, in reference: DocumentReference?
    ) throws -> T {
      let reader = ValueReader(firestore: reference?.firestore, use: .decoding)
      let value = try reader.value(data)
      let context = ValueDecoder.Context(
        options: options, reference: reference, firestore: reference?.firestore ?? reader.firestoreSeen)
      return try context.decode(t, value, at: [])
    }

    /// The short way, from a document as it is stored.
    func decode<T: Decodable>(_ type: T.Type, stored value: Value, in reference: DocumentReference) throws -> T {
      let context = ValueDecoder.Context(options: options, reference: reference, firestore: reference.firestore)
      return try context.decode(type, value, at: [])
    }
  }
}
