internal import HearthModel

// A document without the field is found by none of these. Values are those that can be written; a bad one, or a
// combination that is not allowed, makes a query that fails with `invalidArgument` when it is run.
extension Query {
  /// The field equals the value; integers and doubles compare as numbers. `field` is a dot path.
  public func whereField(_ field: String, isEqualTo value: Any) -> Query {
    filtered(field, .equal, value)
  }

  /// The field equals the value; integers and doubles compare as numbers.
  public func whereField(_ path: FieldPath, isEqualTo value: Any) -> Query {
    filtered(path, .equal, value)
  }

  /// The field exists, is not null, and does not equal the value. `field` is a dot path.
  public func whereField(_ field: String, isNotEqualTo value: Any) -> Query {
    filtered(field, .notEqual, value)
  }

  /// The field exists, is not null, and does not equal the value.
  public func whereField(_ path: FieldPath, isNotEqualTo value: Any) -> Query {
    filtered(path, .notEqual, value)
  }

  /// The field is of the value's type and less. `field` is a dot path.
  public func whereField(_ field: String, isLessThan value: Any) -> Query {
    filtered(field, .less, value)
  }

  /// The field is of the value's type and less.
  public func whereField(_ path: FieldPath, isLessThan value: Any) -> Query {
    filtered(path, .less, value)
  }

  /// The field is of the value's type and less or equal. `field` is a dot path.
  public func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> Query {
    filtered(field, .lessOrEqual, value)
  }

  /// The field is of the value's type and less or equal.
  public func whereField(_ path: FieldPath, isLessThanOrEqualTo value: Any) -> Query {
    filtered(path, .lessOrEqual, value)
  }

  /// The field is of the value's type and greater. `field` is a dot path.
  public func whereField(_ field: String, isGreaterThan value: Any) -> Query {
    filtered(field, .greater, value)
  }

  /// The field is of the value's type and greater.
  public func whereField(_ path: FieldPath, isGreaterThan value: Any) -> Query {
    filtered(path, .greater, value)
  }

  /// The field is of the value's type and greater or equal. `field` is a dot path.
  public func whereField(_ field: String, isGreaterThanOrEqualTo value: Any) -> Query {
    filtered(field, .greaterOrEqual, value)
  }

  /// The field is of the value's type and greater or equal.
  public func whereField(_ path: FieldPath, isGreaterThanOrEqualTo value: Any) -> Query {
    filtered(path, .greaterOrEqual, value)
  }

  /// The field is an array that has the value for an element. `field` is a dot path.
  public func whereField(_ field: String, arrayContains value: Any) -> Query {
    filtered(field, .arrayContains, value)
  }

  /// The field is an array that has the value for an element.
  public func whereField(_ path: FieldPath, arrayContains value: Any) -> Query {
    filtered(path, .arrayContains, value)
  }

  /// The field is an array that has one of the values for an element. `field` is a dot path.
  public func whereField(_ field: String, arrayContainsAny values: [Any]) -> Query {
    filtered(field, .arrayContainsAny, values)
  }

  /// The field is an array that has one of the values for an element.
  public func whereField(_ path: FieldPath, arrayContainsAny values: [Any]) -> Query {
    filtered(path, .arrayContainsAny, values)
  }

  /// The field equals one of the values. `field` is a dot path.
  public func whereField(_ field: String, in values: [Any]) -> Query {
    filtered(field, .isIn, values)
  }

  /// The field equals one of the values.
  public func whereField(_ path: FieldPath, in values: [Any]) -> Query {
    filtered(path, .isIn, values)
  }

  /// The field exists, is not null, and equals none of the values. `field` is a dot path.
  public func whereField(_ field: String, notIn values: [Any]) -> Query {
    filtered(field, .notIn, values)
  }

  /// The field exists, is not null, and equals none of the values.
  public func whereField(_ path: FieldPath, notIn values: [Any]) -> Query {
    filtered(path, .notIn, values)
  }

  private func filtered(_ field: Any, _ comparison: FieldFilter.Comparison, _ operand: Any) -> Query {
    adding { query throws(ModelError) in
      let path = try FieldPath.resolve(field)
      let reader = ValueReader(firestore: firestore, use: .comparing)
      return try query.filtering(path, comparison, reader.operand(operand, of: comparison))
    }
  }
}
