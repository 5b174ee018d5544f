extension BenchDocument {
  /// The fields as one line of JSON, in their order; doubles always with a point or an exponent.
  var json: [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(512)
    func add(_ text: String) { out += text.utf8 }
    // No field holds a character that JSON escapes: words, digits, a few signs.
    func add(_ text: [UInt8]) {
      out.append(UInt8(ascii: "\""))
      out += text
      out.append(UInt8(ascii: "\""))
    }
    add("{\"name\":")
    add(name)
    add(",\"email\":")
    add(email)
    add(",\"city\":")
    add(city)
    add(",\"age\":\(age),\"score\":\(score),\"active\":\(isActive),\"createdAt\":\(createdAt),\"tags\":[")
    for (index, tag) in tags.enumerated() {
      if index > 0 { add(",") }
      add(tag)
    }
    add("],\"address\":{\"street\":")
    add(street)
    add(",\"zip\":")
    add(zip)
    add(",\"geo\":{\"lat\":\(latitude),\"lng\":\(longitude)}},\"bio\":")
    add(bio)
    add("}")
    return out
  }
}
