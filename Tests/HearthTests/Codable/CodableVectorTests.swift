import Foundation
import Hearth
import Testing

/// `codable.json`: each case has a model of its own here, found by the case's name.
struct CodableVectorTests {
  @Test func modelsAreCodedAsTheVectorsSay() async throws {
    var tally = VectorTally()
    let firestore = try Firestore.inMemory()
    for test in try VectorFile("codable.json").cases {
      let name = test["name"] as! String
      guard let model = CodableCases.model(name, firestore) else {
        tally.skip(name, "no model")
        continue
      }
      try await CodableCase(test: test, name: name, json: TypedJSON(firestore: firestore)).run(model)
      tally.run()
    }
    tally.report("codable.json")
    #expect(tally.ran == 69 && tally.skipped.isEmpty)
  }
}

/// A model's type and, where the case has one, its value.
struct AnyModel {
  let encode: (Firestore.Encoder) throws -> [String: Any]
  let jsonEncode: () throws -> Data
  /// Decodes and tells whether the result is the value.
  let decode: (Firestore.Decoder, Any, DocumentReference?) throws -> Bool
  let jsonDecode: (Data) throws -> Void
  let write: (DocumentReference, [Any]?) throws -> Void

  init<Model: Codable>(_ value: Model, equals: @escaping (Model, Model) -> Bool) {
    encode = { try $0.encode(value) }
    jsonEncode = { try JSONEncoder().encode(value) }
    decode = { equals(try $0.decode(Model.self, from: $1, in: $2), value) }
    jsonDecode = { _ = try JSONDecoder().decode(Model.self, from: $0) }
    write = { reference, mask in
      if let mask {
        try reference.setData(from: value, mergeFields: mask)
      } else {
        try reference.setData(from: value, merge: true)
      }
    }
  }

  init<Model: Codable & Equatable>(_ value: Model) { self.init(value, equals: ==) }

  /// For cases that only encode.
  init<Model: Encodable>(encoding value: Model) {
    encode = { try $0.encode(value) }
    jsonEncode = { try JSONEncoder().encode(value) }
    decode = { _, _, _ in false }
    jsonDecode = { _ in }
    write = { reference, _ in try reference.setData(from: value) }
  }
}

struct CodableCase {
  let test: [String: Any]
  let name: String
  let json: TypedJSON

  func run(_ model: AnyModel) async throws {
    let (encoder, decoder) = coders()
    let expectedError = test["expectError"] as? String
    do {
      switch test["direction"] as! String {
      case "roundtrip":
        let encoded = try model.encode(encoder)
        let document = try json.fields(test["document"])
        #expect(Rendering.text(encoded) == Rendering.text(document), "\(name)")
        #expect(try model.decode(decoder, document, nil), "\(name)")
        try await store(encoded, model, decoder)
      case "encode" where test["when"] as? String == "write":
        try await json.firestore.document("codable/w").setData(model.encode(encoder))
      case "encode":
        let encoded = try model.encode(encoder)
        #expect(Rendering.text(encoded) == Rendering.text(try json.fields(test["document"])), "\(name)")
        if let stored = test["storedDocument"] {
          let document = json.firestore.document("codable/s")
          try await document.setData(encoded)
          let found = try await document.getDocument().data()
          #expect(Rendering.text(found) == Rendering.text(try json.fields(stored)), "\(name)")
        }
      case "decode":
        let reference = (test["ref"] as? String).map { json.firestore.document($0) }
        #expect(try model.decode(decoder, json.fields(test["document"]), reference), "\(name)")
      case "encodeTopLevel": _ = try model.encode(encoder)
      case "jsonEncode": _ = try model.jsonEncode()
      case "jsonDecode": try model.jsonDecode(JSONSerialization.data(withJSONObject: test["document"]!))
      case "writeMerge", "writeMergeFields":
        let document = json.firestore.document("codable/m")
        try await document.setData(json.fields(test["document"]))
        try model.write(document, (test["mergeFields"] as? [Any])?.map(json.value))
        let found = try await document.getDocument().data()
        #expect(Rendering.text(found) == Rendering.text(try json.fields(test["storedDocument"])), "\(name)")
      case let direction: Issue.record("\(name): \(direction)")
      }
      #expect(expectedError == nil, "\(name): should fail")
    } catch {
      #expect(CodableCase.kind(of: error) == expectedError, "\(name): \(error)")
    }
  }

  /// The way through a stored document gives the same as the way through a dictionary, times cut to microseconds.
  private func store(_ encoded: [String: Any], _ model: AnyModel, _ decoder: Firestore.Decoder) async throws {
    let document = json.firestore.document("codable/r")
    try await document.setData(encoded)
    let stored = try await document.getDocument().data()!
    if Rendering.text(stored) == Rendering.text(encoded) {
      #expect(try model.decode(decoder, stored, document), "\(name)")
    }
  }

  private func coders() -> (Firestore.Encoder, Firestore.Decoder) {
    let (encoder, decoder) = (Firestore.Encoder(), Firestore.Decoder())
    let options = test["options"] as? [String: String] ?? [:]
    switch options["date"] {
    case "secondsSince1970":
      encoder.dateEncodingStrategy = .secondsSince1970
      decoder.dateDecodingStrategy = .secondsSince1970
    case "millisecondsSince1970":
      encoder.dateEncodingStrategy = .millisecondsSince1970
      decoder.dateDecodingStrategy = .millisecondsSince1970
    case "iso8601":
      encoder.dateEncodingStrategy = .iso8601
      decoder.dateDecodingStrategy = .iso8601
    default: break
    }
    if options["data"] == "base64" {
      encoder.dataEncodingStrategy = .base64
      decoder.dataDecodingStrategy = .base64
    }
    if options["key"] == "snakeCase" { encoder.keyEncodingStrategy = .convertToSnakeCase }
    return (encoder, decoder)
  }

  private static func kind(of error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch: "typeMismatch"
    case DecodingError.valueNotFound: "valueNotFound"
    case DecodingError.keyNotFound: "keyNotFound"
    case DecodingError.dataCorrupted: "dataCorrupted"
    case EncodingError.invalidValue: "EncodingError.invalidValue"
    case FirestoreEncodingError.encodingIsNotSupported: "FirestoreEncodingError.encodingIsNotSupported"
    case FirestoreDecodingError.decodingIsNotSupported: "FirestoreDecodingError.decodingIsNotSupported"
    default: codeName(error)
    }
  }
}
