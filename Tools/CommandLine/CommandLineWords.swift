import CGetopt
import Foundation

/// A command line split into options and operands by the C library's `getopt_long`.
///
/// Its state is global, so one command line is split at a time.
package struct CommandLineWords {
  /// Long options with their values in the order given; those without a value have an empty one.
  package private(set) var options: [(name: String, value: String)] = []
  package private(set) var operands: [String] = []

  private static let lock = NSLock()

  /// A command line that a person has to correct.
  package struct UsageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
      self.description = description
    }
  }

  /// - Parameters:
  ///   - arguments: without the name of the program.
  ///   - names: each long option and whether it takes a value; `-h` stands for `help` wherever that is among them.
  /// - Throws: ``UsageError`` for an unknown option, a missing value, or one too many.
  package init(_ arguments: [String], names: [String: Bool]) throws {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    var words: [UnsafeMutablePointer<CChar>?] = (["program"] + arguments).map { strdup($0) }
    let all = words
    let ordered = names.sorted { $0.key < $1.key }
    let nameWords = ordered.map { strdup($0.key) }
    defer {
      for word in all { free(word) }
      for word in nameWords { free(word) }
    }
    words.append(nil)
    var table = zip(ordered, nameWords).enumerated().map { index, pair in
      option(name: pair.1, has_arg: pair.0.value ? 1 : 0, flag: nil, val: 1000 + Int32(index))
    }
    table.append(option())
    hearth_getopt_start()
    while true {
      // "+"-less short options let operands and options mix; ":" tells a missing value from an unknown option.
      let found = getopt_long(Int32(words.count - 1), &words, names["help"] == nil ? ":" : ":h", &table, nil)
      switch found {
      case -1:
        operands = words[Int(hearth_getopt_index())..<(words.count - 1)].map { String(cString: $0!) }
        return
      case 104: options.append(("help", ""))
      case 1000...:
        let name = ordered[Int(found) - 1000].key
        options.append((name, hearth_getopt_argument().map { String(cString: $0) } ?? ""))
      default:
        let word = words[max(0, Int(hearth_getopt_index()) - 1)].map { String(cString: $0) } ?? ""
        let option = Int(hearth_getopt_option()) - 1000
        if found == 58 { throw UsageError("\(word) needs a value") }
        throw UsageError(
          ordered.indices.contains(option) ? "--\(ordered[option].key) takes no value" : "unknown option \(word)")
      }
    }
  }

  package func value(_ name: String) -> String? { options.last { $0.name == name }?.value }
  package func has(_ name: String) -> Bool { options.contains { $0.name == name } }

  /// The option's value as a whole number in `range`.
  package func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError("--\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text)")
    }
    return number
  }
}
