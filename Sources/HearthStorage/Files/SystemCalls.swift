import CHearth

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the POSIX files share: error numbers to errors, and paths that C can take.
enum SystemCalls {
  /// The error of a system call that failed with `number`. The cause names the call and carries the system's text.
  static func error(
    _ call: String, _ number: Int32, _ message: String, file: String, offset: UInt64? = nil
  ) -> StorageError {
    StorageError(code(of: number), message, file: file, offset: offset, cause: "\(call): \(text(of: number))")
  }

  /// The error of an `open` that follows no link.
  static func openError(_ number: Int32, _ message: String, file: String) -> StorageError {
    var status = stat()
    if number == ELOOP, lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      return StorageError(.io, "The path is a symbolic link; put the file itself there", file: file)
    }
    return error("open", number, message, file: file)
  }

  private static func code(of number: Int32) -> StorageError.Code {
    switch number {
    case ENOENT: .notFound
    case EACCES, EPERM, EROFS: .permissionDenied
    case ENOSPC, EDQUOT, EMFILE, ENFILE: .resourceExhausted
    default: .io
    }
  }

  /// The system's text and the number, as `No such file or directory (2)`.
  private static func text(of number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    hearth_error_text(number, &buffer, buffer.count)
    return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } + " (\(number))"
  }

  /// Refuses a path that C would cut short, and so take for another.
  static func check(path: String) throws(StorageError) {
    guard !path.utf8.contains(0), !path.isEmpty else {
      throw StorageError(.invalidArgument, "A path must not be empty or hold a zero byte", file: path)
    }
  }

  /// Opens without following into an `exec`ed program; tries again when a signal came between.
  static func open(_ path: String, _ flags: Int32, _ permissions: mode_t = 0o644) -> Result<Int32, SystemError> {
    while true {
      #if canImport(Darwin)
      let descriptor = Darwin.open(path, flags | O_CLOEXEC, permissions)
      #elseif canImport(Glibc)
      let descriptor = Glibc.open(path, flags | O_CLOEXEC, permissions)
      #elseif canImport(Musl)
      let descriptor = Musl.open(path, flags | O_CLOEXEC, permissions)
      #endif
      if descriptor >= 0 { return .success(descriptor) }
      let number = errno
      if number != EINTR { return .failure(SystemError(number: number)) }
    }
  }

  struct SystemError: Error {
    var number: Int32
  }
}
