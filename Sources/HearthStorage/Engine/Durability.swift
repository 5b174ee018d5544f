/// What a commit waits for before it is acknowledged.
package enum Durability: Sendable, Equatable {
  /// Synced: survives a power cut.
  case durable
  /// Handed to the operating system: survives the process, and within about a second the machine.
  case buffered
}
