import Foundation
import Testing

/// The socket on which systemd is told how a service is doing (sd_notify(3)), and what came there.
final class NotifySocket: @unchecked Sendable {  // what changes is guarded by `changed`
    let path: String
    private let descriptor: Int32
    private let changed = NSCondition()
    private var received: [String] = []
    private var kept: [String: Int32] = [:]

    init(in folders: Folders) throws {
        path = "\(folders.root)/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0, "\(path): \(errno)")
        Thread.detachNewThread { [changed, descriptor, weak self] in
            while true {
                guard let (text, handed) = Self.next(descriptor) else { break }
                guard let self else { break }
                changed.lock()
                received.append(text)
                if let handed { keep(handed, text) }
                if text.hasPrefix("FDSTOREREMOVE=1"), let name = Self.name(text),
                    let gone = kept.removeValue(forKey: name)
                {
                    close(gone)
                }
                changed.broadcast()
                changed.unlock()
            }
            close(descriptor)
        }
    }

    /// The thread wakes up, and ends.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        kept.values.forEach { close($0) }
    }

    /// One datagram, with the descriptor that came with it (SCM_RIGHTS); nil: nobody will send any more.
    private static func next(_ descriptor: Int32) -> (text: String, handed: Int32?)? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // cmsghdr: 8 bytes of length, 4 of level, 4 of type; then the descriptor.
            var control = [UInt64](repeating: 0, count: 8)
            let size = control.count * 8
            let count = control.withUnsafeMutableBytes { control in
                buffer.withUnsafeMutableBytes { buffer in
                    var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
                    return withUnsafeMutablePointer(to: &part) { part in
                        var message = msghdr()
                        message.msg_iov = part
                        message.msg_iovlen = 1
                        message.msg_control = control.baseAddress
                        message.msg_controllen = size
                        return recvmsg(descriptor, &message, Int32(MSG_CMSG_CLOEXEC))
                    }
                }
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            let handed = control[0] == 20 ? Int32(truncatingIfNeeded: control[2]) : nil
            return (String(decoding: buffer[..<count], as: UTF8.self), handed)
        }
    }

    private static func name(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) }
    }

    private func keep(_ descriptor: Int32, _ text: String) {
        guard text.hasPrefix("FDSTORE=1"), let name = Self.name(text) else {
            close(descriptor)
            return
        }
        if let before = kept.updateValue(descriptor, forKey: name) { close(before) }
    }

    /// The descriptors that it was given to keep, by their names.
    var descriptors: [String: Int32] { changed.withLock { kept } }

    /// What makes a program tell.
    var environment: [String: String] { ["NOTIFY_SOCKET": path] }

    /// All datagrams, in order.
    var messages: [String] { changed.withLock { received } }

    /// The latest STATUS.
    var status: String? { messages.last { $0.contains("STATUS=") }.map(Self.status) ?? nil }

    private static func status(of message: String) -> String? {
        message.split(separator: "\n").first { $0.hasPrefix("STATUS=") }.map { String($0.dropFirst(7)) }
    }

    /// Waits for a datagram behind the first so many.
    ///
    /// - Returns: how many there were when it had come.
    @discardableResult
    func wait(
        for what: String, after count: Int = 0, sourceLocation: SourceLocation = #_sourceLocation,
        _ isIt: (String) -> Bool
    ) throws -> Int {
        let deadline = Date(timeIntervalSinceNow: Program.patience)
        changed.lock()
        defer { changed.unlock() }
        while true {
            if let index = received.indices.dropFirst(count).first(where: { isIt(received[$0]) }) { return index + 1 }
            guard changed.wait(until: deadline) else { break }
        }
        try #require(Bool(false), "waited in vain: \(what)\n\(received)", sourceLocation: sourceLocation)
        return 0
    }

    /// Waits until the status has this in it.
    func waitForStatus(containing part: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try wait(for: "STATUS \(part)", sourceLocation: sourceLocation) {
            Self.status(of: $0)?.contains(part) ?? false
        }
    }
}
