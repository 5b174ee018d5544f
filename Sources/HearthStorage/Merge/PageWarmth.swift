/// Keeps pages that a merge writes until its result is in force, where those they replace were in memory: readers then find
/// them there too.
final class PageWarmth {
  /// Whether what is written now comes from pages that were in memory.
  var isWarm = true
  private let cache: PageCache?
  private var frames: [PageFrame] = []
  private var bytes = 0

  init(_ cache: PageCache?) { self.cache = cache }

  deinit { for frame in frames { cache?.arena.free(frame) } }

  /// At most an eighth of the cache waits.
  func keep(_ page: BuiltPage, _ block: BlockReference) {
    guard isWarm || page.level > 0, let cache, bytes + page.bytes.count <= cache.budgetBytes / 8 else { return }
    let frame = cache.arena.allocate(page.bytes.count, place: block.place.word)
    frame.mutableBytes.copyMemory(from: page.bytes)
    frames.append(frame)
    bytes += page.bytes.count
  }

  /// Hands the pages to the cache.
  func publish() {
    guard let cache else { return }
    for frame in frames {
      cache.insert(frame, PageReader(unchecked: frame.content).isLeaf ? .leaf : .inner)
    }
    frames = []
    bytes = 0
  }
}
