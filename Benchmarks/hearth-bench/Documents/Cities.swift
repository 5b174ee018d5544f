import Foundation

/// 1,000 city names, of which the one of rank r is drawn with weight 1 / r^0.9.
struct Cities {
  let names: [[UInt8]]
  private let cumulative: [Double]

  init(seed: UInt64) {
    let heads = """
      North South East West Green Stone River Lake Oak Pine Maple Silver Golden Red White Black Bright Clear Fair Glen \
      High King Long Mill New Old Port Rock Sand Spring Summer Sun Thorn Union Vale Water Wind Winter Wood York
      """
    let tails = """
      field ford ton ville burg haven port mouth dale bridge brook bury castle church cliff creek gate grove ham hill \
      land ley mere side wick
      """
    var names: [[UInt8]] = []
    for head in heads.split(separator: " ") {
      for tail in tails.split(separator: " ") { names.append(Array(head.utf8) + Array(tail.utf8)) }
    }
    var random = SplitMix(seed: seed, stream: 7, item: 0)
    for i in stride(from: names.count - 1, to: 0, by: -1) {
      names.swapAt(i, Int(random.below(UInt64(i + 1))))
    }
    var total = 0.0
    var sums: [Double] = []
    for rank in 1...names.count {
      total += 1 / pow(Double(rank), 0.9)
      sums.append(total)
    }
    self.names = names
    cumulative = sums.map { $0 / total }
  }

  func pick(_ random: inout SplitMix) -> Int {
    let u = random.unit()
    var low = 0
    var high = cumulative.count - 1
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] < u { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
