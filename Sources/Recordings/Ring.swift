import Glibc
import MeshProtocol
import Platform

/// Where a daemon keeps the last traffic of its radios: a folder beside its local socket, which lies in memory (tmpfs) and
/// outlives a killed daemon.
///
///     mesh-gateway.flight/auto.000017.jsonl       the traffic, in segments; the oldest goes when there are 4 MB
///     mesh-gateway.flight/auto.handshake.jsonl    the radio's last complete handshake, older than any segment maybe
///
/// Every file is a recording by itself, and its first line dates it.
public struct Ring: Sendable {
    public let folder: String
    /// One radio's `device` setting, as far as a file name can have it.
    public let name: String

    static let segmentSize = 512 * 1024
    /// All segments of one radio together.
    static let size = 8 * segmentSize

    /// - Parameter device: the radio's `device` setting.
    public init(folder: String, device: String) {
        self.folder = folder
        name = Self.name(of: device)
    }

    /// The folder that belongs to a daemon's local socket.
    public static func folder(ofSocket path: String) -> String {
        (path.hasSuffix(".sock") ? String(path.dropLast(5)) : path) + ".flight"
    }

    /// At most 80 letters, digits and minus signs: the last ones, where paths have what tells them apart.
    private static func name(of device: String) -> String {
        let name = device.utf8.suffix(80).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                byte
            default: UInt8(ascii: "-")
            }
        }
        return String(decoding: name.isEmpty ? [UInt8(ascii: "-")] : name, as: UTF8.self)
    }

    /// The rings in a folder, by name; none when there is no such folder.
    ///
    /// - Throws: errno, when the folder cannot be read.
    public static func all(in folder: String) throws(RecordingError) -> [Ring] {
        let names = try files(in: folder).compactMap { $0.split(separator: ".").first.map(String.init) }
        return Set(names).sorted().map { Ring(folder: folder, device: $0) }
    }

    /// The numbers of the segments, the oldest first.
    func segments() throws(RecordingError) -> [Int] {
        try Self.files(in: folder).compactMap { file in
            let parts = file.split(separator: ".")
            return parts.count == 3 && parts[0] == name && parts[2] == "jsonl" ? Int(parts[1]) : nil
        }.sorted()
    }

    func path(of segment: Int) -> String {
        let number = String(segment)
        return "\(folder)/\(name).\(String(repeating: "0", count: max(0, 6 - number.count)))\(number).jsonl"
    }

    var handshakePath: String { "\(folder)/\(name).handshake.jsonl" }

    private static func files(in folder: String) throws(RecordingError) -> [String] {
        guard let names = names(in: folder) else {
            if errno == ENOENT { return [] }
            throw .system("\(folder) cannot be read", errno)
        }
        return names.filter { $0.hasSuffix(".jsonl") }
    }
}

/// What goes wrong with recordings, as a sentence without its end.
public enum RecordingError: Error, CustomStringConvertible {
    case system(String, Int32)
    case unreadable(RecordedStream.Failure)
    /// Nothing that a radio has said after it was asked for its settings.
    case noHandshake
    /// Nothing was recorded in that time.
    case nothing
    case replay(String)

    public var description: String {
        switch self {
        case .system(let what, let code): "\(what): \(String(cString: strerror(code)))"
        case .unreadable(let failure): "\(failure)"
        case .noHandshake:
            "the recording has no complete handshake, so that nobody can tell which radio it is of"
        case .nothing: "nothing was recorded in that time"
        case .replay(let what): what
        }
    }
}
