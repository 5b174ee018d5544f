/// A whole tree that is not empty: its root page and that page's level.
struct TreeRoot: Equatable, Sendable {
  var child: ChildReference
  var level: UInt8
}
