import HearthModel

/// A document as one line of typed JSON, the form of `dump` and `load`:
/// `{"path":"users/ada","data":{…},"createTime":"…","updateTime":"…","version":7}`.
enum DocumentLine {
  static func json(_ document: Document) -> JSON {
    .object([
      "path": .text(document.key.path), "data": TypedJSON.json(document.fields),
      "createTime": .text(Text.time(document.createTime)), "updateTime": .text(Text.time(document.updateTime)),
      "version": .number(document.version),
    ])
  }

  /// The key and fields of a line; what else is in it is not read.
  static func parse(_ line: [UInt8]) throws(ModelError) -> (key: DocumentKey, fields: MapValue) {
    let json = try JSONParser.parse(line)
    guard let path = json["path"]?.string else {
      throw .invalidArgument("a line needs a \"path\" that is a string")
    }
    guard let data = json["data"], data.object != nil else {
      throw .invalidArgument("a line needs \"data\" that is an object (path \(path.quotedForMessage))")
    }
    return (try DocumentKey(path), try TypedJSON.fields(data))
  }
}
