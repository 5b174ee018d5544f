public import Foundation
internal import HearthModel

/// The place of one document, whether it exists or not.
///
/// Making a reference reads nothing. One made from a bad path carries the error: each operation on it fails with
/// `invalidArgument`. `==` compares path and database.
///
/// Threading: immutable.
public final class DocumentReference: NSObject, @unchecked Sendable {
  /// The database the reference belongs to.
  public let firestore: Firestore
  /// The slash path from the root; of a bad path the text it was made from.
  public let path: String
  private let fault: ModelError?
  private let storedKey: DocumentKey?

  init(firestore: Firestore, key: DocumentKey) {
    self.firestore = firestore
    path = key.path
    fault = nil
    storedKey = key
  }

  /// - Parameter path: What a bad path is shown as.
  init(firestore: Firestore, path: String, _ make: () throws(ModelError) -> DocumentKey) {
    self.firestore = firestore
    do {
      let key = try make()
      self.path = key.path
      storedKey = key
      fault = nil
    } catch {
      self.path = path
      storedKey = nil
      fault = error
    }
  }

  /// The key, or the error that the reference carries.
  func key() throws(ModelError) -> DocumentKey {
    if let storedKey { return storedKey }
    throw fault ?? .invalidArgument("document path \(path.quotedForMessage) is not valid")
  }

  /// The last segment of the path.
  public var documentID: String {
    storedKey?.documentID ?? path.split(separator: "/").last.map(String.init) ?? ""
  }

  /// The collection that the document is in.
  public var parent: CollectionReference {
    let shown = path.split(separator: "/").dropLast().joined(separator: "/")
    return CollectionReference(firestore: firestore, path: shown) { () throws(ModelError) in try key().parent }
  }

  /// A collection below this document.
  ///
  /// - Parameter collectionPath: From this document: 1, 3, 5… segments.
  public func collection(_ collectionPath: String) -> CollectionReference {
    CollectionReference(firestore: firestore, path: path + "/" + collectionPath) { () throws(ModelError) in
      try key().collection(collectionPath)
    }
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? DocumentReference, firestore.isSameDatabase(as: other.firestore) else { return false }
    return storedKey == other.storedKey && (storedKey != nil || path.equalsUTF8(other.path))
  }

  public override var hash: Int { storedKey.hashValue }

  public override var description: String { "<DocumentReference: \(path)>" }
}

extension DocumentReference: Codable {
  /// Only ``Firestore/Decoder`` decodes a reference.
  public convenience init(from decoder: any Swift.Decoder) throws {
    guard let decoder = decoder as? ValueDecoder else {
      throw FirestoreDecodingError.decodingIsNotSupported(
        "DocumentReference can only be decoded by Firestore.Decoder.")
    }
    guard case .reference(let key) = decoder.value, let firestore = decoder.context.firestore else {
      throw decoder.context.mismatch(DocumentReference.self, decoder.value, at: decoder.codingPath)
    }
    self.init(firestore: firestore, key: key)
  }

  /// Only ``Firestore/Encoder`` encodes a reference.
  public func encode(to encoder: any Swift.Encoder) throws {
    guard let encoder = encoder as? ValueEncoder else {
      throw FirestoreEncodingError.encodingIsNotSupported(
        "DocumentReference can only be encoded by Firestore.Encoder.")
    }
    encoder.value = .reference(self)
  }
}
