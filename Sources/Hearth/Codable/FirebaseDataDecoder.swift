public import Foundation

/// Names the strategies of ``Firestore/Decoder``.
public enum FirebaseDataDecoder {
  /// How a `Date` is read.
  public enum DateDecodingStrategy {
    /// By its own `init(from:)`.
    case deferredToDate
    /// From a number of seconds since 1970.
    case secondsSince1970
    /// From a number of milliseconds since 1970.
    case millisecondsSince1970
    /// From a string like `2016-05-20T10:20:00Z`.
    case iso8601
    case formatted(DateFormatter)
    case custom((_ decoder: any Swift.Decoder) throws -> Date)

    /// From a ``Timestamp``, the default.
    public static var timestamp: DateDecodingStrategy {
      .custom { decoder in
        try decoder.singleValueContainer().decode(Timestamp.self).dateValue()
      }
    }
  }

  /// How `Data` is read.
  public enum DataDecodingStrategy {
    /// By its own `init(from:)`: an array of numbers.
    case deferredToData
    /// From a base64 string.
    case base64
    /// From bytes or a base64 string, the default.
    case blob
    case custom((_ decoder: any Swift.Decoder) throws -> Data)
  }

  /// Whether strings stand for NaN and the infinities.
  public enum NonConformingFloatDecodingStrategy: Sendable {
    /// They do not, the default.
    case `throw`
    case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// How field names become the names of coding keys.
  public enum KeyDecodingStrategy {
    case useDefaultKeys
    /// `my_url_property` becomes `myUrlProperty`; outer underscores stay.
    case convertFromSnakeCase
    case custom((_ codingPath: [any CodingKey]) -> any CodingKey)
  }
}
