import Foundation

/// Prints a report as its options ask for.
enum BenchOutput {
  static func show(_ report: BenchReport, isJSON: Bool) {
    print(isJSON ? report.json : report.text)
  }

  static func complain(_ text: String) {
    FileHandle.standardError.write(Data("hearth-bench: \(text)\n".utf8))
  }
}
