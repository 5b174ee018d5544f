/// A finished page. Valid only while the builder hands it out.
struct BuiltPage {
  let bytes: UnsafeRawBufferPointer
  let level: UInt8
  /// The lower fence: the separator before this page in its parent.
  let lower: KeyBytes
  let entryCount: Int
  let hasBlobs: Bool
}
