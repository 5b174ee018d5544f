import HearthTestSupport
import Testing

@testable import HearthStorage

struct BlobCheckTests {
  /// A tree with one long value, and the value's block.
  private func sample() throws -> (model: MergedModel, blob: SegmentBlock) {
    let model = try MergedModel(seed: 4, pageBytes: 256)
    for number in 0..<100 as Range<UInt8> { try model.set(.documents, [number], [1, 2, 3]) }
    try model.set(.documents, [50], model.random.bytes(100_000))
    let merged = try model.merge()
    return (model, try merged.written.first { $0.kind == .blob }.unwrapped())
  }

  private func kinds(_ model: MergedModel, _ depth: CheckReport.Depth) throws -> [Finding.Kind] {
    let report = try CheckpointCheck.run("/db", fileSystem: model.directory.fileSystem, depth: depth).unwrapped()
    return report.findings.items.map(\.kind)
  }

  @Test func aLongValueIsReadAndCounted() throws {
    let (model, _) = try sample()
    #expect(try kinds(model, .full) == [])
    #expect(try kinds(model, .quick) == [])
  }

  @Test func aDamagedLongValueIsAFinding() throws {
    let (model, blob) = try sample()
    let place = blob.reference.place
    let file = try model.directory.fileSystem.open(model.directory.filePath(place.segment), .readWrite)
    let offset = place.offset + UInt64(blob.reference.byteCount) - 1
    let last = try file.bytes(at: offset, count: 1)[0]
    try file.write([last ^ 1], at: offset)
    #expect(try kinds(model, .full) == [.block])
    // Its header is right, which is all that a quick check looks at.
    #expect(try kinds(model, .quick) == [])
    try file.write([0xFF], at: place.offset)
    #expect(try kinds(model, .quick) == [.block])
  }
}
