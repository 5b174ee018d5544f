/// The data set: document `i` is a function of the seed and `i`.
///
/// Threading: immutable, any thread.
struct BenchDocuments: Sendable {
  static let pathPrefix = Array("users/".utf8)
  /// `createdAt` of document 0, without its jitter.
  static let firstCreation: Int64 = 1_700_000_000_000_000
  static let creationStep: Int64 = 1000

  let seed: UInt64
  let cities: Cities

  init(seed: UInt64 = 42) {
    self.seed = seed
    cities = Cities(seed: seed)
  }

  func path(_ index: UInt64) -> [UInt8] {
    var random = SplitMix(seed: seed, stream: 1, item: index)
    var path = Self.pathPrefix
    path.reserveCapacity(path.count + 20)
    for _ in 0..<2 {
      // Ten base-62 digits from one number: each multiplication shifts one out at the top.
      var rest = random.next()
      for _ in 0..<10 {
        let (high, low) = rest.multipliedFullWidth(by: 62)
        path.append(Self.digits[Int(high)])
        rest = low
      }
    }
    return path
  }

  func document(_ index: UInt64) -> BenchDocument {
    var random = SplitMix(seed: seed, stream: 2, item: index)
    // The order of the draws is the data set: every line below takes from the generator what the one above left.
    let first = word(&random)
    let last = word(&random)
    let email = first + [UInt8(ascii: ".")] + last + decimal(random.below(10000)) + Array("@example.com".utf8)
    let city = cities.names[cities.pick(&random)]
    let age = Int64(18 + random.below(73))
    let score = random.unit() * 100
    let isActive = random.next() & 1 != 0
    let createdAt = Self.firstCreation + Int64(index) * Self.creationStep + Int64(random.below(5000))
    let tags = (0..<3).map { _ in Words.all[Int(random.below(UInt64(Words.tagCount)))] }
    let latitude = millionths(random.unit() * 180 - 90)
    let longitude = millionths(random.unit() * 360 - 180)
    let streetName = capitalized(word(&random))
    let street = decimal(1 + random.below(999)) + [UInt8(ascii: " ")] + streetName + Array(" Street".utf8)
    let zip = Array(decimal(100_000 + random.below(100_000)).dropFirst())
    let wanted = Int(120 + random.below(81))
    var bio: [UInt8] = []
    bio.reserveCapacity(220)
    while bio.count < wanted {
      if !bio.isEmpty { bio.append(UInt8(ascii: " ")) }
      bio += word(&random)
    }
    if bio.count > 200 { bio.removeLast(bio.count - 200) }
    return BenchDocument(
      path: path(index), name: capitalized(first) + [UInt8(ascii: " ")] + capitalized(last), email: email, city: city,
      age: age, score: score, isActive: isActive, createdAt: createdAt, tags: tags, street: street, zip: zip,
      latitude: latitude, longitude: longitude, bio: bio)
  }

  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  private func word(_ random: inout SplitMix) -> [UInt8] {
    Words.all[Int(random.below(UInt64(Words.all.count)))]
  }

  private func capitalized(_ word: [UInt8]) -> [UInt8] {
    var word = word
    word[0] -= 32
    return word
  }

  private func decimal(_ number: UInt64) -> [UInt8] {
    Array(String(number).utf8)
  }

  private func millionths(_ number: Double) -> Double {
    (number * 1e6).rounded() / 1e6
  }
}
