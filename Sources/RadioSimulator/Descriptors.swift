import CShims
import Glibc
import Platform

/// The system calls behind the radio's lines. Every descriptor is close-on-exec and does not block, but for the host's
/// end of a socket pair, whose owner decides that.
enum Descriptors {
    static func socketPair() throws(SimulatorError) -> (radio: Int32, host: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .system("socketpair", errno) }
        prepare(ends[0])
        return (ends[0], ends[1])
    }

    /// A listening socket and its port, which is a free one for port 0.
    static func listener(port: UInt16, everywhere: Bool) throws(SimulatorError) -> (Int32, UInt16) {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { throw .system("socket", errno) }
        prepare(fd)
        var on: Int32 = 1
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (everywhere ? INADDR_ANY : UInt32(0x7F00_0001)).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(fd, raw, size) == 0 && listen(fd, 4) == 0 && getsockname(fd, raw, &size) == 0
            }
        }
        guard listens else {
            let error = SimulatorError.cannotListen(port, errno)
            close(fd)
            throw error
        }
        return (fd, UInt16(bigEndian: address.sin_port))
    }

    /// The next waiting client of a listener.
    static func accept(_ listener: Int32) -> Int32? {
        let fd = Glibc.accept(listener, nil, nil)
        guard fd >= 0 else { return nil }
        prepare(fd)
        var on: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return fd
    }

    /// The radio's side of a new pty, the path of the other, and an inotify descriptor that tells who opens it.
    static func pty() throws(SimulatorError) -> (fd: Int32, path: String, watch: Int32) {
        var name = [CChar](repeating: 0, count: 64)
        let fd = mg_open_pty(&name, UInt(name.count))
        guard fd >= 0 else { throw .system("posix_openpt", errno) }
        prepare(fd)
        let path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        let events = UInt32(IN_OPEN) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CLOSE_NOWRITE)
        guard watch >= 0, inotify_add_watch(watch, path, events) >= 0 else {
            let error = SimulatorError.system("inotify_add_watch", errno)
            close(fd)
            if watch >= 0 { close(watch) }
            throw error
        }
        return (fd, path, watch)
    }

    /// How many more times the watched pty was opened than closed since the last call.
    static func openings(_ watch: Int32) -> Int {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var change = 0
        while true {
            let count = Glibc.read(watch, &buffer, buffer.count)
            guard count > 0 else { return change }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + MemoryLayout<inotify_event>.size <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    change += event.mask & UInt32(IN_OPEN) != 0 ? 1 : 0
                    change -= event.mask & UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) != 0 ? 1 : 0
                    offset += MemoryLayout<inotify_event>.size + Int(event.len)
                }
            }
        }
    }

    /// Points a symbolic link at the pty, in one step, so that nobody ever finds it missing.
    static func link(_ link: String, to path: String) throws(SimulatorError) {
        var status = stat()
        if lstat(link, &status) == 0, status.st_mode & S_IFMT != S_IFLNK { throw .linkIsTaken(link) }
        let temporary = "\(link).\(getpid())"
        unlink(temporary)
        guard symlink(path, temporary) == 0 else { throw .cannotLink(link, errno) }
        guard rename(temporary, link) == 0 else {
            let error = SimulatorError.cannotLink(link, errno)
            unlink(temporary)
            throw error
        }
    }

    enum Reading {
        case bytes([UInt8])
        case nothing
        case ended
    }

    static func read(_ fd: Int32) -> Reading {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = retrying { Glibc.read(fd, &buffer, buffer.count) }
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        return count < 0 && errno == EAGAIN ? .nothing : .ended
    }

    /// How many bytes went out; nil when nobody is there any more.
    static func write(_ fd: Int32, _ bytes: ArraySlice<UInt8>, isSocket: Bool) -> Int? {
        bytes.withUnsafeBytes { raw in
            let count = retrying {
                isSocket
                    ? send(fd, raw.baseAddress!, raw.count, Int32(MSG_NOSIGNAL))
                    : Glibc.write(fd, raw.baseAddress!, raw.count)
            }
            return count >= 0 ? count : errno == EAGAIN ? 0 : nil
        }
    }

    private static func prepare(_ fd: Int32) {
        setCloseOnExec(fd)
        setNonBlocking(fd)
    }
}
