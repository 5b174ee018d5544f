/// Where a read comes from. Hearth has one store, so all three give the same.
public enum FirestoreSource: UInt, Sendable {
  case `default` = 0
  case server = 1
  case cache = 2
}

/// What a pending server timestamp reads as. Nothing is ever pending in Hearth, so all three give the stored value.
public enum ServerTimestampBehavior: Int, Sendable {
  case none = 0
  case estimate = 1
  case previous = 2
}
