import Glibc

/// What this process has caused to be written to disks, in bytes (`write_bytes`, proc(5)); nil where that is not told.
/// A process that was a shell before it executed this program brings the shell's count with it, and that of the
/// children that the shell has waited for.
public func bytesWritten() -> Int64? {
    guard let file = fopen("/proc/self/io", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    while fgets(&line, Int32(line.count), file) != nil {
        var written: Int64 = 0
        if withUnsafeMutablePointer(to: &written, { withVaList([$0]) { vsscanf(line, "write_bytes: %ld", $0) } }) == 1 {
            return written
        }
    }
    return nil
}
