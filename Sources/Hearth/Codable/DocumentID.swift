/// A type that can hold the identity of a document: `String` (its id) or ``DocumentReference``.
public protocol DocumentIDWrappable {
  static func wrap(_ documentReference: DocumentReference) throws -> Self
}

extension String: DocumentIDWrappable {
  public static func wrap(_ documentReference: DocumentReference) throws -> String { documentReference.documentID }
}

extension DocumentReference: DocumentIDWrappable {
  public static func wrap(_ documentReference: DocumentReference) throws -> DocumentReference { documentReference }
}

/// Fills a property with the id of the document it was decoded from.
///
/// Never written to the document, and a field of the property's name is ignored. Filled only when the property is
/// among the model's coding keys. Decoding without a document throws
/// ``FirestoreDecodingError/decodingIsNotSupported(_:)``.
@propertyWrapper
public struct DocumentID<Value: DocumentIDWrappable & Codable>: DecodableWhenAbsent {
  private var value: Value?

  /// A value given here is replaced on decoding and never written; that is logged, since it is seldom meant.
  public init(wrappedValue value: Value?) {
    if value != nil {
      Log.warning("codable", "a value given to a property wrapped with @DocumentID is never written")
    }
    self.value = value
  }

  public var wrappedValue: Value? {
    get { value }
    set { value = newValue }
  }
}

extension DocumentID: Codable {
  public init(from decoder: any Decoder) throws {
    guard let reference = (decoder as? ValueDecoder)?.reference else {
      throw FirestoreDecodingError.decodingIsNotSupported(
        "@DocumentID needs the document it is decoded from: use Firestore.Decoder with a reference.")
    }
    value = try Value.wrap(reference)
  }

  public func encode(to encoder: any Encoder) throws {
    guard let encoder = encoder as? ValueEncoder else {
      throw FirestoreEncodingError.encodingIsNotSupported("@DocumentID can only be encoded by Firestore.Encoder.")
    }
    encoder.isOmitted = true
  }
}

extension DocumentID: Equatable where Value: Equatable {}
extension DocumentID: Hashable where Value: Hashable {}
extension DocumentID: Sendable where Value: Sendable {}

/// A property that decodes although its document has no such field. The decoder then calls `init(from:)` on null.
protocol DecodableWhenAbsent {}
