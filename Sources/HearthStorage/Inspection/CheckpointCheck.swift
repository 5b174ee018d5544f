/// Checks the newest checkpoint of a database that nobody needs to have open, also beside the process that writes it.
package enum CheckpointCheck {
  /// - Parameters:
  ///   - folder: of the database.
  ///   - onProgress: called now and then; `false` ends the check.
  /// - Returns: `nil` when there is no checkpoint with segments.
  /// - Throws: what reading the folder throws; whatever else is wrong is a finding.
  package static func run(
    _ folder: String, fileSystem: any FileSystem, depth: CheckReport.Depth, findingsMax: Int = 200,
    onProgress: @escaping (CheckReport.Progress) -> Bool = { _ in true }
  ) throws(StorageError) -> CheckReport? {
    let directory = SegmentDirectory(database: folder, fileSystem: fileSystem)
    var attempts = 0
    while true {
      attempts += 1
      guard let found = try checkpoint(of: folder, directory) else { return nil }
      let (readers, failures) = open(found.record, directory)
      // A writer beside may have removed segments of the checkpoint that was found; open ones stay readable.
      if !failures.isEmpty, attempts < 10, let now = try checkpoint(of: folder, directory), now.record != found.record {
        continue
      }
      let check = TreeCheck(
        found.record, at: found.place, readers, failures: failures, depth: depth, findingsMax: findingsMax,
        onProgress: onProgress)
      return check.run()
    }
  }

  /// The checkpoint to be checked: that of the newest slot of SUPER whose record can be read, or without any the newest
  /// whose record is found in the segments.
  static func checkpoint(
    of folder: String, _ directory: SegmentDirectory
  ) throws(StorageError) -> CheckpointScan.Found? {
    let readings = (try? SuperblockStore.read(directory: folder, fileSystem: directory.fileSystem)) ?? []
    let valid = readings.compactMap { if case .valid(let superblock) = $0 { superblock } else { nil } }
    for superblock in valid.sorted(by: { $0.number > $1.number }) {
      guard let place = superblock.record else { break }
      if let reader = try? SegmentReader.open(
        directory, segment: place.place.segment, lineage: superblock.lineage),
        let record = try? CheckpointRecord.read(place, from: reader)
      {
        return CheckpointScan.Found(record: record, place: place)
      }
    }
    return try CheckpointScan.newest(directory)
  }

  /// The segments that a record lists, and why others can't be opened.
  static func open(
    _ record: CheckpointRecord, _ directory: SegmentDirectory
  ) -> (readers: [SegmentReader], failures: [UInt64: StorageError]) {
    var readers: [SegmentReader] = []
    var failures: [UInt64: StorageError] = [:]
    for listed in record.segments {
      do throws(StorageError) {
        readers.append(try SegmentReader.open(directory, segment: listed.segment, lineage: record.lineage))
      } catch {
        failures[listed.segment] = error
      }
    }
    return (readers, failures)
  }
}
