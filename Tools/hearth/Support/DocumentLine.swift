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
  ///
  /// - Throws: `invalidArgument` for a line that is no document, also for one whose document is too large.
  static func parse(_ line: [UInt8]) throws(ModelError) -> (key: DocumentKey, fields: MapValue) {
    let json = try JSONParser.parse(line)
    for name in ["path", "data"] where json.object?.count(where: { $0.key == name }) ?? 0 > 1 {
      throw .invalidArgument("\"\(name)\" occurs twice in a line")
    }
    guard let path = json["path"]?.string else {
      throw .invalidArgument("a line needs a \"path\" that is a string")
    }
    guard let data = json["data"], data.object != nil else {
      throw .invalidArgument("a line needs \"data\" that is an object (path \(path.quotedForMessage))")
    }
    let key = try DocumentKey(path)
    let fields: MapValue
    do {
      fields = try TypedJSON.fields(data)
    } catch {
      throw .invalidArgument("\(error.message) in document \(path.quotedForMessage)")
    }
    let size = DocumentSize.size(of: key, fields)
    guard size <= DocumentSize.bytesMax else {
      throw .invalidArgument(
        "document \(path.quotedForMessage) has \(size) bytes; at most \(DocumentSize.bytesMax) are allowed")
    }
    return (key, fields)
  }
}
