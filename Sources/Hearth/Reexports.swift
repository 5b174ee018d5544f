// The value types that users hold and the model stores as they are.
@_exported public import struct HearthModel.GeoPoint
@_exported public import struct HearthModel.Timestamp
