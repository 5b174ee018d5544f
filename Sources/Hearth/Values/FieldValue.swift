public import Foundation

/// A change that a write makes to a field, given in place of a value.
///
/// Allowed in the data of writes only, never in arrays or queries. ``delete()`` stands at the top of an update or
/// anywhere in a merge.
///
/// Threading: immutable.
public final class FieldValue: NSObject, @unchecked Sendable {
  /// Elements stay as they were given; the write that uses them checks them.
  enum Kind {
    case delete
    case serverTimestamp
    case arrayUnion([Any])
    case arrayRemove([Any])
    case increment(Operand)
    case maximum(Operand)
    case minimum(Operand)
  }

  enum Operand {
    case integer(Int64)
    case double(Double)
  }

  let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  private static let deleteSentinel = FieldValue(.delete)
  private static let serverTimestampSentinel = FieldValue(.serverTimestamp)

  /// Deletes the field.
  public class func delete() -> FieldValue { deleteSentinel }

  /// Sets the field to the time of the commit, in whole microseconds; the same for every field of one commit.
  public class func serverTimestamp() -> FieldValue { serverTimestampSentinel }

  /// Appends the elements that the array has not yet. Anything but an array counts as an empty one.
  public class func arrayUnion(_ elements: [Any]) -> FieldValue { FieldValue(.arrayUnion(elements)) }

  /// Removes every element equal to one of these. Anything but an array becomes an empty one.
  public class func arrayRemove(_ elements: [Any]) -> FieldValue { FieldValue(.arrayRemove(elements)) }

  /// Adds to a number; the result is a double. Anything but a number becomes the operand.
  public class func increment(_ d: Double) -> FieldValue { FieldValue(.increment(.double(d))) }

  /// Adds to a number; an integer stays one and stops at the ends of 64 bits. Anything but a number becomes the operand.
  public class func increment(_ l: Int64) -> FieldValue { FieldValue(.increment(.integer(l))) }

  /// As the form with `Int64`, so that `increment(1)` means one thing.
  public class func increment(_ i: Int) -> FieldValue { FieldValue(.increment(.integer(Int64(i)))) }

  /// Keeps the larger of the field's number and the operand. Anything but a number becomes the operand.
  public class func maximum(_ d: Double) -> FieldValue { FieldValue(.maximum(.double(d))) }
  public class func maximum(_ l: Int64) -> FieldValue { FieldValue(.maximum(.integer(l))) }
  public class func maximum(_ i: Int) -> FieldValue { FieldValue(.maximum(.integer(Int64(i)))) }

  /// Keeps the smaller of the field's number and the operand. Anything but a number becomes the operand.
  public class func minimum(_ d: Double) -> FieldValue { FieldValue(.minimum(.double(d))) }
  public class func minimum(_ l: Int64) -> FieldValue { FieldValue(.minimum(.integer(l))) }
  public class func minimum(_ i: Int) -> FieldValue { FieldValue(.minimum(.integer(Int64(i)))) }

  /// A vector; a plain value, not a change.
  public class func vector(_ array: [Double]) -> VectorValue { VectorValue(array) }
  public class func vector(_ array: [Float]) -> VectorValue { VectorValue(array.map(Double.init)) }

  /// What the change is called in messages.
  var name: String {
    switch kind {
    case .delete: "FieldValue.delete()"
    case .serverTimestamp: "FieldValue.serverTimestamp()"
    case .arrayUnion: "FieldValue.arrayUnion()"
    case .arrayRemove: "FieldValue.arrayRemove()"
    case .increment: "FieldValue.increment()"
    case .maximum: "FieldValue.maximum()"
    case .minimum: "FieldValue.minimum()"
    }
  }

  public override var description: String { name }
}

extension FieldValue: Encodable {
  /// Only ``Firestore/Encoder`` encodes a change.
  public func encode(to encoder: any Swift.Encoder) throws {
    guard let encoder = encoder as? ValueEncoder else {
      throw FirestoreEncodingError.encodingIsNotSupported("\(name) can only be encoded by Firestore.Encoder.")
    }
    encoder.value = .sentinel(self)
  }
}
