import Glibc

/// The target of a symbolic link, readlink(2); nil when it is none.
public func linkTarget(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes {
        readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
}

/// The names in a directory but "." and "..", in byte order.
///
/// - Returns: nil when it cannot be read; errno says why.
public func names(in directory: String) -> [String]? {
    guard let stream = opendir(directory) else { return nil }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
        // In its place: an entry is as long as its name, so that a copy of all 256 bytes reads beyond the last one.
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: UInt8.self, capacity: Int(NAME_MAX) + 1) {
                Array(UnsafeBufferPointer(start: $0, count: strnlen($0, Int(NAME_MAX))))
            }
        }
        if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
}

/// A path without symbolic links, realpath(3); nil when there is nothing.
public func realPath(_ path: String) -> String? {
    guard let result = realpath(path, nil) else { return nil }
    defer { free(result) }
    return String(cString: result)
}

/// What a file says, such as one of /proc or /sys, whose size is unknown until it is read; nil when it cannot be opened.
public func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 16 << 10))
    while true {
        let count = retrying { read(descriptor, &buffer, buffer.count) }
        guard count > 0 else { break }
        bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
}
