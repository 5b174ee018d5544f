/// What lies in the `segments` folder, by name.
struct SegmentInventory {
  /// The numbers of segments with their name.
  private(set) var finished: [UInt64] = []
  /// Paths of segments that never got it.
  private(set) var unfinished: [String] = []
  /// Above every number in a name.
  private(set) var nextNumber: UInt64 = 1

  /// - Throws: `.corruption` when the folder is missing; what reading throws.
  init(_ directory: SegmentDirectory) throws(StorageError) {
    let names: [String]
    do throws(StorageError) {
      names = try directory.fileSystem.contents(ofDirectory: directory.path)
    } catch {
      guard error.code == .notFound else { throw error }
      throw StorageError(
        .corruption, "the folder of the segments is missing; put it back from a copy", file: directory.path)
    }
    for name in names {
      // Names that are not ours are left alone.
      guard let number = SegmentDirectory.number(of: name), number > 0, number < BlockFormat.segmentMax else {
        continue
      }
      nextNumber = max(nextNumber, number + 1)
      if name.hasSuffix(SegmentDirectory.freshSuffix) {
        unfinished.append(directory.path + "/" + name)
      } else {
        finished.append(number)
      }
    }
  }
}
