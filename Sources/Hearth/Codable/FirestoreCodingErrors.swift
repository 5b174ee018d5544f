/// Thrown when a type of Hearth's is encoded by somebody else's encoder.
public enum FirestoreEncodingError: Error {
  case encodingIsNotSupported(String)
}

/// Thrown when a type of Hearth's is decoded by somebody else's decoder, or without the reference it needs.
public enum FirestoreDecodingError: Error {
  case decodingIsNotSupported(String)
  /// No longer thrown; kept because it can be named in a `switch`.
  case fieldNameConflict(String)
}
