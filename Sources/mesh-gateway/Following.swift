import CShims
import CommandLine
import Glibc
import HTTPServer
import Platform
import Search

// Streams of lines, from the daemon over its socket or from the gateway in this process:
//
//     daemon:  socket -> head -> chunks -> lines
//     own:     LiveBody -> lines

/// Why a stream is at its end.
enum StreamEnd {
    /// Nothing more comes.
    case ended
    /// The reader has had enough.
    case enough
    case late
    case interrupted
}

extension Backend {
    /// Gives each line of a stream to `handleLine`, as it comes, until that says false.
    ///
    /// - Parameter deadline: monotonic milliseconds; nil: none.
    func follow(
        _ path: String, _ query: [(String, String?)], until deadline: Int64? = nil,
        _ handleLine: (String) throws -> Bool
    ) throws -> StreamEnd {
        let target = path + Self.text(query)
        switch self {
        case .daemon(let client): return try client.follow(target, until: deadline, handleLine)
        case .ownGateway(let gateway): return try gateway.follow(target, until: deadline, handleLine)
        case .database: preconditionFailure("nothing happens in the database alone")
        }
    }
}

extension OwnGateway {
    fileprivate func follow(
        _ target: String, until deadline: Int64?, _ handleLine: (String) throws -> Bool
    ) throws -> StreamEnd {
        let response = respond("GET", target)
        guard case .live(let body) = response.body else {
            _ = try Page(response.answer)
            return .ended
        }
        guard let wakeEvent = WakeEvent() else { throw failure("eventfd: \(systemMessage(errno)).", .systemError) }
        defer { body.end() }
        var lines = LineCutter()
        while true {
            let step = try body.next { wakeEvent.signal() }
            switch step {
            case .bytes(let bytes):
                for line in lines.cut(bytes) { if try !handleLine(line) { return .enough } }
            case .end: return .ended
            case .nothing, .pause:
                switch waitToRead(wakeEvent.descriptor, until: deadline) {
                case .readable: wakeEvent.clear()
                case .interrupted: return .interrupted
                case .outputGone: return .enough
                case .late: return .late
                }
            }
        }
    }
}

extension LocalClient {
    fileprivate func follow(
        _ target: String, until deadline: Int64?, _ handleLine: (String) throws -> Bool
    ) throws -> StreamEnd {
        let descriptor = try said { () throws(NoAnswer) in try asked("GET", target) }
        defer { close(descriptor) }
        var received: [UInt8] = []
        var (chunks, lines, hasHead) = (ChunkReader(), LineCutter(), false)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            switch waitToRead(descriptor, until: deadline) {
            case .readable: break
            case .interrupted: return .interrupted
            case .outputGone: return .enough
            case .late: return .late
            }
            let count = retrying { recv(descriptor, &buffer, buffer.count, 0) }
            guard count > 0 else { return .ended }
            received += buffer[..<count]
            if !hasHead {
                guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
                try checkHead(of: received, from: descriptor)
                received.removeSubrange(..<end.upperBound)
                hasHead = true
            }
            guard let bytes = chunks.read(&received) else {
                throw failure(
                    "what listens on \(path) is not mesh-gateway; name the right socket with --socket PATH.",
                    .unavailable)
            }
            for line in lines.cut(bytes) { if try !handleLine(line) { return .enough } }
            if chunks.isAtEnd { return .ended }
        }
    }

    /// Throws the sentence of a refusal.
    private func checkHead(of received: [UInt8], from descriptor: Int32) throws {
        let answer = try said { () throws(NoAnswer) in try parse(received) }
        guard answer.status != 200 else { return }
        _ = try Page(said { () throws(NoAnswer) in try parse(receiveAll(from: descriptor, behind: received)) })
    }
}

/// The chunked transfer coding (RFC 9112, 7.1), as far as our own server uses it.
private struct ChunkReader {
    /// Bytes of the present chunk that are still to come.
    private var left = 0
    /// The line end behind a chunk is still to come.
    private var owesLineEnd = false
    private(set) var isAtEnd = false

    /// Takes what is whole from the front; nil when it is not chunked.
    mutating func read(_ received: inout [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        var rest = received[...]
        defer { received = Array(rest) }
        while !isAtEnd {
            if left > 0 {
                let part = rest.prefix(left)
                guard !part.isEmpty else { break }
                content += part
                rest = rest.dropFirst(part.count)
                left -= part.count
                owesLineEnd = left == 0
            } else if owesLineEnd {
                guard rest.count >= 2 else { break }
                rest = rest.dropFirst(2)
                owesLineEnd = false
            } else {
                guard let end = rest.firstRange(of: Array("\r\n".utf8)) else { break }
                guard let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16), size >= 0
                else { return nil }
                rest = rest[end.upperBound...]
                left = size
                isAtEnd = size == 0
            }
        }
        return content
    }
}

/// Cuts bytes into lines.
private struct LineCutter {
    private var open: [UInt8] = []

    mutating func cut(_ bytes: [UInt8]) -> [String] {
        open += bytes
        guard let last = open.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        defer { open.removeSubrange(...last) }
        return open[..<last].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}
