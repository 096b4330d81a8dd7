import Foundation
import MeshProtocol
import Testing

/// A recording of a real radio and what an independent decoder made of it.
struct Recording: Sendable, CustomTestStringConvertible {
    var name: String
    var testDescription: String { name }

    static let all: [Recording] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.sorted().map { Recording(name: String($0.dropLast(6))) }
    }()

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Recordings").path

    func stream() throws -> RecordedStream { try RecordedStream(contentsOfFile: "\(Self.folder)/\(name).jsonl") }

    func oracle() throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(name).oracle.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// What the radio said, decoded; an event ends what was cut.
    func listen(inChunksOf next: (() -> Int)? = nil) throws -> Listener {
        var listener = Listener()
        for entry in try stream().entries {
            switch entry.kind {
            case .received(let bytes):
                var rest = bytes[...]
                while !rest.isEmpty {
                    let chunk = rest.prefix(next?() ?? rest.count)
                    listener.feed(chunk, now: UInt64(entry.time * 1e9))
                    rest = rest.dropFirst(chunk.count)
                }
            case .event: listener.end()
            case .sent: break
            }
        }
        listener.end()
        return listener
    }
}
