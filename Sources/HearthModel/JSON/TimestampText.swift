// Timestamps as `2016-05-20T10:20:00.123456Z`, in the proleptic Gregorian calendar.

extension Timestamp {
  /// Without a fraction if there is none, else with 6 digits, or 9 if it is not whole microseconds. The timestamp must
  /// be valid.
  package var text: String {
    func padded(_ number: Int64, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    let day = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
    let second = seconds - day * 86400
    let (year, month, date) = Timestamp.civil(day: day)
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))"
    text += "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if nanoseconds != 0 {
      text += "."
      text += nanoseconds % 1000 == 0 ? padded(Int64(nanoseconds / 1000), 6) : padded(Int64(nanoseconds), 9)
    }
    return text + "Z"
  }

  /// Parses ``text`` with 0 to 9 digits of fraction; `nil` for anything else.
  package init?(text: String) {
    let bytes = Array(text.utf8)
    func number(_ start: Int, _ count: Int) -> Int64? {
      guard start + count <= bytes.count else { return nil }
      var result: Int64 = 0
      for byte in bytes[start..<start + count] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        result = result * 10 + Int64(byte - 0x30)
      }
      return result
    }
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), let year = number(0, 4), let month = number(5, 2), let date = number(8, 2),
      let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
      year >= 1, (1...12).contains(month), date >= 1, hour < 24, minute < 60, second < 60
    else { return nil }
    var nanoseconds: Int64 = 0
    if bytes.count > 20 {
      let count = bytes.count - 21
      guard bytes[19] == UInt8(ascii: "."), (1...9).contains(count), let fraction = number(20, count) else {
        return nil
      }
      nanoseconds = fraction
      for _ in count..<9 { nanoseconds *= 10 }
    }
    let day = Timestamp.day(year: year, month: month, date: date)
    // The 31st of a month of 30 would come back as the 1st of the next.
    guard Timestamp.civil(day: day) == (year, month, date) else { return nil }
    self.init(seconds: day * 86400 + hour * 3600 + minute * 60 + second, nanoseconds: Int32(nanoseconds))
  }

  // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, in eras of 400 years.

  private static func day(year: Int64, month: Int64, date: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(day: Int64) -> (year: Int64, month: Int64, date: Int64) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
