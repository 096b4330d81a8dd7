// Opens the sockets of a Listener.
//
// The sockets are made here and not by libmicrohttpd, because it says only that it failed, and because a Unix socket
// needs care: it must not be reachable before its mode is right, a file that a crashed daemon left behind must go,
// and one that somebody listens on must stay.

import Glibc

/// A bound, listening socket and what to clean up after it.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    /// As in SocketAddress.description, with the real port.
    let address: String
    let audience: Audience
    /// The file of a Unix socket that we made; device and inode tell whether it is still ours when we go.
    let file: (path: String, device: UInt64, inode: UInt64)?

    /// Opens the sockets of one listener. `notes` gets a sentence for each address that was left out.
    static func open(_ listener: Listener, notes: inout [String]) throws(HTTPServerError) -> [ListeningSocket] {
        switch listener {
        case .tcp(let host, let port) where host.isEmpty || host == "*":
            return [try everywhere(port: port, notes: &notes)]
        case .tcp(let host, let port):
            return try named(host, port: port, notes: &notes)
        case .local(let path, let mode, let group):
            return [try unix(path, mode: mode, group: group, for: .local)]
        case .unix(let path, let mode, let group):
            return [try unix(path, mode: mode, group: group, for: .unix)]
        case .inherited(let descriptor, let name):
            return [try inherited(descriptor, name)]
        }
    }

    /// Closes the socket and removes its file, unless another program has put its own there meanwhile.
    func close() {
        _ = Glibc.close(descriptor)
        guard let file else { return }
        var status = stat()
        guard lstat(file.path, &status) == 0 else { return }
        if UInt64(status.st_dev) == file.device, UInt64(status.st_ino) == file.inode { unlink(file.path) }
    }

    // MARK: TCP

    private static func everywhere(port: UInt16, notes: inout [String]) throws(HTTPServerError) -> ListeningSocket {
        do {
            return try bound(SocketAddress(allOf: AF_INET6, port: port), dualStack: true)
        } catch .system(_, _, let code) where code == EAFNOSUPPORT || code == EADDRNOTAVAIL {
            notes.append("this kernel has no IPv6; listening on IPv4 alone")
            return try bound(SocketAddress(allOf: AF_INET, port: port))
        } catch .addressNotHere {
            notes.append("IPv6 is switched off here; listening on IPv4 alone")
            return try bound(SocketAddress(allOf: AF_INET, port: port))
        }
    }

    private static func named(
        _ host: String, port: UInt16, notes: inout [String]
    ) throws(HTTPServerError) -> [ListeningSocket] {
        var sockets: [ListeningSocket] = []
        var failure: HTTPServerError?
        var taken: Set<String> = []
        var port = port
        for var address in try resolve(host, port: port) where taken.insert(address.host).inserted {
            address.port = port
            do {
                let socket = try bound(address)
                // "localhost" with port 0: all its addresses get the port that the first one got.
                if port == 0, let real = SocketAddress(boundTo: socket.descriptor) { port = real.port }
                sockets.append(socket)
            } catch .addressNotHere(let missing) {
                failure = failure ?? .addressNotHere(host: missing)
            } catch .system(let call, let subject, let code) where code == EAFNOSUPPORT {
                failure = failure ?? .system(call: call, subject: subject, code: code)
            } catch {
                sockets.forEach { $0.close() }
                throw error
            }
        }
        if let failure {
            if sockets.isEmpty { throw failure }
            notes.append("not every address of \(host) is in use: \(failure)")
        }
        return sockets
    }

    /// getaddrinfo.
    private static func resolve(_ host: String, port: UInt16) throws(HTTPServerError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw .unknownHost(host: host, reason: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }
            .map { SocketAddress($0!.pointee) }
    }

    private static func bound(
        _ address: SocketAddress, dualStack: Bool = false
    ) throws(HTTPServerError) -> ListeningSocket {
        let descriptor = try make(address)
        do throws(HTTPServerError) {
            // Restarting must not wait for the last connections' TIME_WAIT.
            enable(SO_REUSEADDR, level: SOL_SOCKET, on: descriptor)
            if address.family == AF_INET6 {
                enable(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), dualStack ? 0 : 1, on: descriptor)
            }
            guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
                let code = errno
                let place = dualStack || address.host == "0.0.0.0" ? "port \(address.port)" : address.description
                switch code {
                case EADDRINUSE: throw .portTaken(address: place)
                case EACCES: throw .portNotPermitted(address: place)
                case EADDRNOTAVAIL: throw .addressNotHere(host: address.host)
                default: throw .system(call: "bind", subject: address.description, code: code)
                }
            }
            guard listen(descriptor, SOMAXCONN) == 0 else {
                let code = errno
                // Two sockets with SO_REUSEADDR may bind the same port; only the second's listen is refused.
                if code == EADDRINUSE { throw .portTaken(address: address.description) }
                throw .system(call: "listen", subject: address.description, code: code)
            }
            let real = SocketAddress(boundTo: descriptor) ?? address
            return ListeningSocket(
                descriptor: descriptor, address: real.description, audience: .network, file: nil)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    // MARK: Unix

    private static func unix(
        _ path: String, mode: UInt16, group: UInt32?, for audience: Audience
    ) throws(HTTPServerError) -> ListeningSocket {
        guard let address = SocketAddress(path: path) else {
            throw .socketPathTooLong(path: path, longest: SocketAddress.longestPath)
        }
        try removeStale(path, address)
        let descriptor = try make(address)
        do throws(HTTPServerError) {
            guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
                switch errno {
                case EADDRINUSE: throw .socketInUse(path: path)
                case ENOENT, ENOTDIR: throw .socketDirectoryMissing(path: path)
                case EACCES, EPERM, EROFS: throw .socketNotPermitted(path: path)
                case let code: throw .system(call: "bind", subject: path, code: code)
                }
            }
            // Nobody can connect before listen(), whatever the umask made of the mode.
            var status = stat()
            // A service runs in its group and may be forbidden to call chown(2), even where nothing would change.
            let isInGroup = lstat(path, &status) == 0 && status.st_gid == group
            if let group, !isInGroup, chown(path, uid_t.max, group) != 0 {
                throw .system(call: "chown", subject: path, code: errno)
            }
            guard chmod(path, mode_t(mode)) == 0, lstat(path, &status) == 0 else {
                throw .system(call: "chmod", subject: path, code: errno)
            }
            guard listen(descriptor, SOMAXCONN) == 0 else {
                throw .system(call: "listen", subject: path, code: errno)
            }
            return ListeningSocket(
                descriptor: descriptor, address: address.description, audience: audience,
                file: (path, UInt64(status.st_dev), UInt64(status.st_ino)))
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    /// Removes a socket file that nobody listens on any more; a crash leaves one behind.
    private static func removeStale(_ path: String, _ address: SocketAddress) throws(HTTPServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        let probe = try make(address)
        defer { _ = Glibc.close(probe) }
        if address.withPointer({ connect(probe, $0, $1) }) == 0 { throw .socketInUse(path: path) }
        // EAGAIN: its queue is full, so somebody listens.
        switch errno {
        case ECONNREFUSED, ENOENT: break
        case EACCES, EPERM: throw .socketNotPermitted(path: path)
        default: throw .socketInUse(path: path)
        }
        guard unlink(path) == 0 || errno == ENOENT else { throw .socketNotPermitted(path: path) }
    }

    // MARK: Sockets

    private static func inherited(_ descriptor: Int32, _ name: String) throws(HTTPServerError) -> ListeningSocket {
        guard let address = SocketAddress(boundTo: descriptor),
            [AF_INET, AF_INET6, AF_UNIX].contains(address.family),
            option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
        else { throw .notAStreamSocket(name: name) }
        guard option(SO_ACCEPTCONN, of: descriptor) == 1 else { throw .notListening(name: name) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return ListeningSocket(
            descriptor: descriptor, address: address.description,
            audience: address.family == AF_UNIX ? .unix : .network, file: nil)
    }

    /// getsockopt of SOL_SOCKET; nil when it is no socket.
    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func make(_ address: SocketAddress) throws(HTTPServerError) -> Int32 {
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(address.family, Int32(flags), 0)
        guard descriptor >= 0 else { throw .system(call: "socket", subject: address.description, code: errno) }
        return descriptor
    }

    private static func enable(_ option: Int32, level: Int32, _ value: Int32 = 1, on descriptor: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
