@testable import HearthStorage

/// A promise that did not hold. The description tells how to see it again.
struct SimulationFailure: Error, CustomStringConvertible {
  var description: String

  /// Whether the engine said that its files are damaged, where it should have answered.
  var isDamage: Bool

  init(_ description: String, isDamage: Bool = false) {
    self.description = description
    self.isDamage = isDamage
  }

  /// The same failure, seen from further out.
  func inside(_ place: String) -> SimulationFailure {
    SimulationFailure("\(place): \(description)", isDamage: isDamage)
  }
}

/// Throws unless the condition holds.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw SimulationFailure(message()) }
}

/// Runs `body`; what it throws gains a place in front.
@discardableResult
func within<R>(_ place: @autoclosure () -> String, _ body: () throws -> R) throws -> R {
  do {
    return try body()
  } catch let failure as SimulationFailure {
    throw failure.inside(place())
  } catch {
    throw SimulationFailure(
      "\(place()): unexpected error \(error)", isDamage: (error as? StorageError)?.code == .corruption)
  }
}
