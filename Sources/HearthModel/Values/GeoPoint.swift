/// A place on the globe in degrees.
public struct GeoPoint: Hashable, Codable, Sendable {
  /// -90 to 90.
  public let latitude: Double
  /// -180 to 180.
  public let longitude: Double

  /// Makes a point of any two numbers. One out of range, or not a number, is made too, but writing it or using it in
  /// a query fails with `invalidArgument`.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

extension GeoPoint: CustomStringConvertible {
  public var description: String { "GeoPoint(latitude: \(latitude), longitude: \(longitude))" }
}

extension GeoPoint {
  package var isValid: Bool {
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }
}
