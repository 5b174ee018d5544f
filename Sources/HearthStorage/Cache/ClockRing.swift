/// Frames in a circle that a hand goes round: the order in which they are looked at for eviction. Not thread-safe.
struct ClockRing {
  private(set) var frames: [PageFrame] = []
  private var hand = 0
  private(set) var bytes = 0

  var count: Int { frames.count }

  /// Just behind the hand, which comes by there last. What was there goes to the end: the order matters little, moving
  /// all would cost.
  mutating func insert(_ frame: PageFrame) {
    if hand < frames.count {
      frames.append(frames[hand])
      frames[hand] = frame
    } else {
      frames.append(frame)
    }
    hand += 1
    bytes += frame.cost
  }

  /// The frame under the hand; there must be one.
  var current: PageFrame { frames[hand < frames.count ? hand : 0] }

  mutating func advance() {
    if hand >= frames.count { hand = 0 }
    hand += 1
  }

  mutating func removeCurrent() -> PageFrame {
    if hand >= frames.count { hand = 0 }
    frames.swapAt(hand, frames.count - 1)
    let frame = frames.removeLast()
    bytes -= frame.cost
    return frame
  }
}
