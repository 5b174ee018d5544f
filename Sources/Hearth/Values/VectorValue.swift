/// A vector of numbers, a type of its own: never equal to an array of the same numbers.
public struct VectorValue: Hashable, Codable, Sendable {
  /// At most 2048 elements can be written.
  public let array: [Double]

  public init(_ array: [Double]) {
    self.array = array
  }
}
