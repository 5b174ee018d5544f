/// What a query looks at: a document whole or still encoded.
package protocol DocumentFields {
  var key: DocumentKey { get }
  /// The value at a path, or `nil` if there is none.
  func field(at path: FieldPath) throws(ModelError) -> Value?
}

extension DocumentFields {
  /// The field, or the key as a reference for ``FieldPath/documentID``.
  package func fieldOrKey(at path: FieldPath) throws(ModelError) -> Value? {
    path.isDocumentID ? .reference(key) : try field(at: path)
  }
}

extension Document: DocumentFields {
  package func field(at path: FieldPath) -> Value? { fields[path] }
}

/// A document of which only the fields a query asks for are decoded.
package struct EncodedFields: DocumentFields {
  package let key: DocumentKey
  package let document: EncodedDocument

  package init(key: DocumentKey, document: EncodedDocument) {
    self.key = key
    self.document = document
  }

  package func field(at path: FieldPath) throws(ModelError) -> Value? { try document.value(at: path) }
}
