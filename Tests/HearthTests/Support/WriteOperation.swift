import Foundation
import Hearth

/// Runs one entry of a vector's `ops` through the public API.
struct WriteOperation {
  let json: TypedJSON
  var firestore: Firestore { json.firestore }

  /// Awaited, so that errors come out.
  func run(_ operation: [String: Any]) async throws {
    if let operations = operation["batch"] as? [[String: Any]] {
      let batch = firestore.batch()
      for operation in operations { try add(operation, to: batch) }
      return try await batch.commit()
    }
    if let path = operation["set"] as? String {
      let reference = firestore.document(path)
      let data = try json.fields(operation["data"])
      if let mask = operation["mergeFields"] as? [Any] {
        try await reference.setData(data, mergeFields: mask.map(json.value))
      } else if let merge = operation["merge"] as? Bool {
        try await reference.setData(data, merge: merge)
      } else {
        try await reference.setData(data)
      }
    } else if let path = operation["update"] as? String {
      try await firestore.document(path).updateData(updateFields(operation))
    } else if let path = operation["delete"] as? String {
      try await firestore.document(path).delete()
    } else {
      throw TypedJSON.Failure.malformed("\(operation)")
    }
  }

  private func add(_ operation: [String: Any], to batch: WriteBatch) throws {
    if let path = operation["set"] as? String {
      let reference = firestore.document(path)
      let data = try json.fields(operation["data"])
      if let mask = operation["mergeFields"] as? [Any] {
        batch.setData(data, forDocument: reference, mergeFields: try mask.map(json.value))
      } else if let merge = operation["merge"] as? Bool {
        batch.setData(data, forDocument: reference, merge: merge)
      } else {
        batch.setData(data, forDocument: reference)
      }
    } else if let path = operation["update"] as? String {
      batch.updateData(try updateFields(operation), forDocument: firestore.document(path))
    } else if let path = operation["delete"] as? String {
      batch.deleteDocument(firestore.document(path))
    } else {
      throw TypedJSON.Failure.malformed("\(operation)")
    }
  }

  private func updateFields(_ operation: [String: Any]) throws -> [AnyHashable: Any] {
    if let pairs = operation["fields"] as? [[Any]] {
      var fields: [AnyHashable: Any] = [:]
      for pair in pairs {
        // A path that comes twice survives in a dictionary when it is spelled in two ways, as the vectors do.
        let key = try json.value(pair[0])
        fields[key as! AnyHashable] = try json.value(pair[1])
      }
      return fields
    }
    return try json.fields(operation["data"])
  }
}

extension FirestoreErrorCode.Code {
  /// The code's name in the vectors.
  var name: String { "\(self)" }
}

/// The name of the code of an error that left Hearth; a description for any other.
func codeName(_ error: any Error) -> String {
  guard let error = error as? FirestoreErrorCode, let code = FirestoreErrorCode.Code(rawValue: error.code) else {
    return "not a FirestoreErrorCode: \(error)"
  }
  return code.name
}
