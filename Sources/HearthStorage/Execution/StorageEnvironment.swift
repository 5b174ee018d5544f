/// Everything the engine takes from outside: files, time, threads, random bits.
package struct StorageEnvironment: Sendable {
  package var fileSystem: any FileSystem
  package var clock: any Clock
  package var executor: any Executor
  package var random: any RandomSource

  package init(
    fileSystem: any FileSystem, clock: any Clock, executor: any Executor, random: any RandomSource
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.executor = executor
    self.random = random
  }
}
