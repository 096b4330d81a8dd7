import Foundation
import Glibc
import Testing

/// Debian's mosquitto on the loopback, with a folder and a port of its own. Stopped by its process number.
final class Mosquitto {
    let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "mosquitto-\(UUID().uuidString)")
    let port: Int
    /// Holds the port also while it does not run.
    private let place: Int32
    /// 0: it does not run.
    private var process: pid_t = 0
    private let lines: [String]

    static let program = "/usr/sbin/mosquitto"

    /// - Parameter lines: more of its configuration, given its folder.
    init(anonymous: Bool = true, _ lines: (String) -> [String] = { _ in [] }) throws {
        (place, port) = try reserved()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.lines =
            [
                "listener \(port) 127.0.0.1", "allow_anonymous \(anonymous)", "persistence true",
                "persistence_location \(folder.path)/", "log_dest none",
            ] + lines(folder.path)
        // It gives up root's rights by itself, and could then not write there.
        let user = geteuid() == 0 ? ["user root"] : []
        try (self.lines + user).joined(separator: "\n").write(
            to: folder.appending(path: "conf"), atomically: true, encoding: .utf8)
    }

    deinit {
        stop()
        close(place)
        try? FileManager.default.removeItem(at: folder)
    }

    func start() throws {
        try #require(
            access(Self.program, X_OK) == 0, "\(Self.program) is not installed; deploy/prerequisites has the row")
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of tests have signals blocked, SIGTERM among them, and children inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = [Self.program, "-c", "\(folder.path)/conf"].map { (word: String) in
            strdup(word)
        }
        defer { for word in words { free(word) } }
        words.append(nil)
        try #require(posix_spawn(&process, Self.program, nil, &attributes, words, environ) == 0)
        var tries = 0
        while !isListening {
            tries += 1
            try #require(tries < 6_000, "mosquitto does not listen")
            usleep(10_000)
        }
    }

    func stop(_ signal: Int32 = SIGTERM) {
        guard process > 0 else { return }
        kill(process, signal)
        waitpid(process, nil, 0)
        process = 0
    }

    private var isListening: Bool {
        let descriptor = connected(to: port)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }
}

/// A descriptor of a connection on the loopback; negative: nobody listens.
func connected(to port: Int) -> Int32 {
    let descriptor = streamSocket()
    var address = loopback(port)
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    if result == 0 { return descriptor }
    close(descriptor)
    return -1
}

func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

/// A listening socket on the loopback, and its port.
func listening() throws -> (descriptor: Int32, port: Int) {
    let (descriptor, port) = try reserved()
    try #require(listen(descriptor, 8) == 0)
    return (descriptor, port)
}

/// A socket on the loopback, and its port, at which nobody listens. Who sets SO_REUSEADDR, as mosquitto does, may listen there;
/// no other test is given it while the socket is open.
func reserved() throws -> (descriptor: Int32, port: Int) {
    let descriptor = streamSocket()
    var (yes, address) = (Int32(1), loopback(0))
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
        }
    }
    try #require(result == 0)
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

/// No program that another test starts meanwhile has it.
private func streamSocket() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) }

/// The next client of a listening socket; negative: there is none any more.
func nextClient(_ listener: Int32) -> Int32 {
    let connection = accept(listener, nil, nil)
    if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
    return connection
}

/// Also where a program that another test has started at the wrong moment holds it, too.
func end(_ connection: Int32) {
    shutdown(connection, Int32(SHUT_RDWR))
    close(connection)
}
