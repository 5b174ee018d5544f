/// Why a run ended early: wrong usage, a failed call, or a wrong answer.
struct BenchError: Error, CustomStringConvertible {
  enum Kind { case usage, failure, wrongAnswer }

  var kind: Kind
  var description: String

  init(_ description: String, kind: Kind = .failure) {
    self.kind = kind
    self.description = description
  }

  static var noBlockingForm: BenchError { BenchError("this level has awaiting forms only") }

  /// Ends the run when an answer of the database is not the one that the data set calls for.
  static func expect(_ isRight: Bool, _ what: @autoclosure () -> String) throws {
    if !isRight { throw BenchError("wrong answer: \(what())", kind: .wrongAnswer) }
  }
}
