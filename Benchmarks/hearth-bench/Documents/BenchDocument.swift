/// One document of the benchmark's data set: a user record of ten fields, about 460 bytes as JSON.
struct BenchDocument: Equatable {
  /// `users/` and 20 characters of `[0-9A-Za-z]`.
  var path: [UInt8]
  var name: [UInt8]
  var email: [UInt8]
  var city: [UInt8]
  /// 18 to 90.
  var age: Int64
  var score: Double
  var isActive: Bool
  /// Microseconds since 1970; one millisecond apart, with a jitter below five.
  var createdAt: Int64
  var tags: [[UInt8]]
  var street: [UInt8]
  var zip: [UInt8]
  var latitude: Double
  var longitude: Double
  /// 120 to 200 bytes of words.
  var bio: [UInt8]

  var id: ArraySlice<UInt8> { path.dropFirst(BenchDocuments.pathPrefix.count) }
}
