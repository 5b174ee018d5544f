import HearthModel

/// Short ways to build the JSON that commands print.
extension JSON {
  static func text(_ value: String?) -> JSON { value.map { JSON(.string($0)) } ?? JSON(.null) }
  static func number(_ value: (some BinaryInteger)?) -> JSON { value.map { JSON(.number(String($0))) } ?? JSON(.null) }
  static func flag(_ value: Bool?) -> JSON { value.map { JSON(.boolean($0)) } ?? JSON(.null) }
  static func list(_ values: [JSON]) -> JSON { JSON(.array(values)) }
  static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
    JSON(.object(members.map { ($0.key, $0.value) }))
  }
}
