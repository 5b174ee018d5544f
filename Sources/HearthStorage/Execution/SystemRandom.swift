/// Random bits from the operating system. Threading: any thread.
package struct SystemRandom: RandomSource {
  package init() {}

  package func next() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
