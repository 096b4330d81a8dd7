import ControlAPI
import Foundation
import Goldens
import HTTPServer
import HeldWriter
import MeshProtocol
import Recordings
import RestAPI
import Routes
import Store

/// What the REST API answers about a recording that was replayed as the command does it.
struct ReplayedAnswers {
    /// What a client asks, and the whole answer.
    let answers: [(target: String, text: String)]

    static let targets = [
        "/api/status", "/api/v1/sources", "/api/v1/channels", "/api/v1/nodes", "/api/v1/messages?limit=10000",
        "/api/v1/telemetry?limit=10000", "/api/v1/traceroutes?limit=10000", "/api/v1/network",
        "/api/v1/network/topology", "/api/v1/network/direct-neighbors", "/api/v1/packets?limit=10000",
    ]

    init(_ stream: RecordedStream) throws {
        self = try Self.answers { store in
            let replay = try Replay(Recording(stream), into: store)
            try replay.run()
            return RestAPI(
                Endpoints.all + ControlEndpoints.all, gateway: replay.gateway, version: "test", clock: replay.clock)
        }
    }

    /// The same with a writer that is held back.
    init(_ stream: RecordedStream, holding hold: Hold) throws {
        self = try Self.answers { store in
            let replay = try HeldReplay(Recording(stream), into: store, holding: hold)
            try replay.run()
            return RestAPI(
                Endpoints.all + ControlEndpoints.all, gateway: replay.gateway, version: "test", clock: replay.clock)
        }
    }

    private static func answers(_ play: (Store) throws -> RestAPI) throws -> ReplayedAnswers {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("replay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try Store(path: folder.appendingPathComponent("mesh.db").path)
        defer { store.close() }
        return try ReplayedAnswers(of: play(store))
    }

    private init(of api: RestAPI) throws {
        answers = try Self.targets.map { target in
            let peer = Peer.local(user: getuid(), group: getgid(), process: getpid())
            let response = api.respond(Request(method: "GET", target: target, headers: [], peer: peer)).awaited()
            var bytes: [UInt8] = []
            switch response.body {
            case .empty: break
            case .bytes(let all): bytes = all
            case .stream(_, let next): while let chunk = try next() { bytes += chunk }
            case .live, .later: preconditionFailure("a replay is over")
            }
            let text = String(decoding: bytes, as: UTF8.self)
            return (target, text.replacing(/"uptime":[0-9.]+/, with: #""uptime":0"#))
        }
    }

    /// One JSON object, a row a line.
    var text: String {
        "{\n" + answers.map { "\"\($0.target)\": " + Self.lines($0.text) }.joined(separator: ",\n") + "\n}\n"
    }

    /// The first answer that differs and where, as a person can look for it; nil when there is none.
    func difference(to other: ReplayedAnswers, in change: (String) -> String = { $0 }) -> String? {
        for (mine, theirs) in zip(answers, other.answers) {
            let (mine, theirs) = (Self.lines(change(mine.text)), Self.lines(change(theirs.text)))
            if let found = firstDifference(mine, theirs) { return found }
        }
        return nil
    }

    /// Breaks a line before everything that lies at most two deep. When a text was handed over is left out: that depends
    /// on how fast the session takes it.
    private static func lines(_ json: String) -> String {
        broken(json).components(separatedBy: "\n").map { line in
            guard line.contains(#""direction":"tx""#) else { return line }
            return line.replacing(/"(timestamp|created_at)":\d+/) { "\"\($0.1)\":0" }
        }
        .joined(separator: "\n")
    }

    private static func broken(_ json: String) -> String {
        var lines = ""
        var (depth, isInString, isEscaped) = (0, false, false)
        for character in json.unicodeScalars {
            lines.unicodeScalars.append(character)
            if isInString {
                isInString = isEscaped || character != "\""
                isEscaped = character == "\\" && !isEscaped
                continue
            }
            switch character {
            case "\"": isInString = true
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            default: break
            }
            if depth <= 2, character == "," || character == "[" || character == "{" && depth == 1 { lines += "\n" }
        }
        return lines
    }
}
