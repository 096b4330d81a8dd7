import Foundation
import MeshModel
import MeshProtocol
import Testing

/// One line of a recording of real firmware, or of what a real client wrote.
struct RecordedLine: Decodable {
    /// rx is from the radio, tx from the host; nil in a client's stream.
    var dir: String?
    /// Which one, of clients' streams, and its connection, counted from 1.
    var stream: String?
    var conn: Int?
    var hex: String?
    var event: String?

    var bytes: [UInt8] {
        let digits = Array((hex ?? "").utf8).map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Of a file below Tests.
    static func lines(_ file: String, test: String = #filePath) throws -> [RecordedLine] {
        let tests = URL(fileURLWithPath: test).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: tests.appendingPathComponent(file), encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONDecoder().decode(RecordedLine.self, from: Data($0.utf8)) }
    }
}

/// Cuts one direction of a recording into frames.
struct FrameCutter {
    private var buffer: [UInt8] = []

    /// The bytes, cut at the ends of frames, each piece with the frame that it completes.
    mutating func pieces(_ bytes: [UInt8]) -> [(bytes: [UInt8], frame: [UInt8]?)] {
        var (pieces, piece): ([(bytes: [UInt8], frame: [UInt8]?)], [UInt8]) = ([], [])
        for byte in bytes {
            piece.append(byte)
            guard let frame = feed([byte]).first else { continue }
            pieces.append((piece, frame))
            piece = []
        }
        return piece.isEmpty ? pieces : pieces + [(piece, nil)]
    }

    mutating func feed(_ bytes: [UInt8]) -> [[UInt8]] {
        buffer += bytes
        var frames: [[UInt8]] = []
        while let start = buffer.firstIndex(of: 0x94), buffer.count >= start + 4 {
            let length = Int(buffer[start + 2]) << 8 | Int(buffer[start + 3])
            guard buffer[start + 1] == 0xC3, length <= StreamFrame.maximumLength else {
                buffer.removeFirst(start + 1)
                continue
            }
            guard buffer.count >= start + 4 + length else { break }
            frames.append(Array(buffer[(start + 4)..<(start + 4 + length)]))
            buffer.removeFirst(start + 4 + length)
        }
        return frames
    }
}

/// An answer to a packet as far as real and simulated radio should agree.
struct SeenAnswer: Hashable, CustomStringConvertible {
    var isOwn: Bool
    var port: PortNumber
    /// ROUTING's error.
    var error: UInt32?
    /// AdminMessage's variant, and of a section the number in it.
    var variant: UInt32?
    var section: UInt32?
    var hasPasskey = false
    var priority: UInt32
    var hopLimit: UInt32
    var wantAck: Bool
    /// The radio has put a queue status of the answer's own id before the question's.
    var hasOwnStatus = false

    /// - Parameter frame: in which the packet came; what is decoded from it lacks the passkey.
    init?(_ packet: MeshPacket, in frame: [UInt8], to own: NodeNumber) {
        guard let data = packet.decoded else { return nil }
        isOwn = packet.from == own
        port = data.port
        (priority, hopLimit, wantAck) = (packet.priority, packet.hopLimit, packet.wantAck)
        if case .routing(.error(let error)) = PacketContent(data) { self.error = error.rawValue }
        guard port == .admin else { return }
        for field in lengthDelimitedFields(content(of: [2, 4, 2], in: frame[...])) {
            if field.number == 101 {
                hasPasskey = field.content.count == 8
            } else {
                variant = field.number
                if [6, 8].contains(field.number) { section = lengthDelimitedFields(field.content).first?.number }
            }
        }
    }

    var description: String {
        var words = [isOwn ? "own" : "node", "port \(port.rawValue)"]
        if let error { words.append("error \(error)") }
        if let variant { words.append("variant \(variant)") }
        if let section { words.append("section \(section)") }
        if hasPasskey { words.append("passkey") }
        words.append("priority \(priority) hops \(hopLimit)")
        if wantAck { words.append("want_ack") }
        if hasOwnStatus { words.append("own status") }
        return words.joined(separator: " ")
    }
}

/// What a message in a message in … holds; nothing when there is none.
private func content(of path: [UInt32], in message: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let number = path.first else { return message }
    let inner = lengthDelimitedFields(message).last { $0.number == number }?.content ?? []
    return content(of: Array(path.dropFirst()), in: inner)
}

private func lengthDelimitedFields(_ message: ArraySlice<UInt8>) -> [(number: UInt32, content: ArraySlice<UInt8>)] {
    var (rest, fields) = (message, [(number: UInt32, content: ArraySlice<UInt8>)]())
    func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift: UInt64 in stride(from: 0, to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
    while let key = varint() {
        switch key & 7 {
        case 0: _ = varint()
        case 1: rest = rest.dropFirst(8)
        case 5: rest = rest.dropFirst(4)
        default:
            guard let length = varint(), length <= rest.count else { return fields }
            fields.append((UInt32(key >> 3), rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
    }
    return fields
}
