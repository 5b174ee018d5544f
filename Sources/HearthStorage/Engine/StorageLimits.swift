/// Hard limits of the engine (`FORMAT.md`, "Limits").
package enum StorageLimits {
  package static let keyBytesMax = 16 << 10
  package static let valueBytesMax = 16 << 20
  package static let batchBytesMax = 256 << 20
}
