public import Foundation

/// Names the strategies of ``Firestore/Encoder``.
public enum FirebaseDataEncoder {
  /// How a `Date` is written.
  public enum DateEncodingStrategy {
    /// By its own `encode(to:)`.
    case deferredToDate
    /// As a double of seconds since 1970.
    case secondsSince1970
    /// As a double of milliseconds since 1970.
    case millisecondsSince1970
    /// As a string like `2016-05-20T10:20:00Z`.
    case iso8601
    case formatted(DateFormatter)
    case custom((_ date: Date, _ encoder: any Swift.Encoder) throws -> Void)

    /// As a ``Timestamp``, the default.
    public static var timestamp: DateEncodingStrategy {
      .custom { date, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(Timestamp(date: date))
      }
    }
  }

  /// How `Data` is written.
  public enum DataEncodingStrategy {
    /// By its own `encode(to:)`: an array of numbers.
    case deferredToData
    /// As a base64 string.
    case base64
    /// As bytes, the default.
    case blob
    case custom((_ data: Data, _ encoder: any Swift.Encoder) throws -> Void)
  }

  /// What happens to NaN and the infinities.
  public enum NonConformingFloatEncodingStrategy: Sendable {
    /// `EncodingError.invalidValue`, the default.
    case `throw`
    case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// How the names of coding keys become field names.
  public enum KeyEncodingStrategy {
    case useDefaultKeys
    /// `myURLProperty` becomes `my_url_property`; outer underscores stay.
    case convertToSnakeCase
    case custom((_ codingPath: [any CodingKey]) -> any CodingKey)
  }
}
