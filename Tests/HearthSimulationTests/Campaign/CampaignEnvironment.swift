import Foundation

/// What the environment asks of the campaigns (Tests/README.md, "Campaigns").
enum CampaignEnvironment {
  static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// Where the seeds begin.
  static var seed: UInt64? { number("HEARTH_SEED") }

  /// Lines that tell how far a long campaign is; on stderr, where they don't mix with results.
  static func progress(_ line: @autoclosure () -> String) {
    guard number("HEARTH_PROGRESS") != nil else { return }
    FileHandle.standardError.write(Data((line() + "\n").utf8))
  }
}
