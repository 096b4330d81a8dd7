import Foundation
import Testing

@testable import ServedProgram

/// A client of the broker with a session of its own.
final class HeardEvents {
    private let program: Program
    private let folders: Folders
    private let port: Int
    private let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"

    init(at port: Int) throws {
        (folders, self.port) = (try Folders(), port)
        let script = (#filePath as NSString).deletingLastPathComponent + "/hear-events.py"
        program = try Program([script, "\(port)"], in: folders, executable: python)
        _ = try program.output.line(containing: "hears")
    }

    var output: Output { program.output }

    /// All events, oldest first, with their topics.
    var events: [JSON] {
        program.output.text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(JSON.self, from: Data($0.utf8))
        }
    }

    /// What became of commands, so far.
    func outcomes(_ type: String) -> [JSON] {
        events.filter { $0["topic"].string?.hasSuffix("/event/commands") == true && $0["event_type"].string == type }
    }

    /// Publishes a command.
    ///
    /// - Parameter topic: of the event of the same name, which was heard before.
    func command(likeEventAt topic: String, _ payload: String) throws {
        let script = """
            import sys
            from paho.mqtt import publish
            publish.single(*sys.argv[2:], hostname="127.0.0.1", port=int(sys.argv[1]))
            """
        let topic = topic.replacingOccurrences(of: "/event/", with: "/command/")
        let program = try Program(["-c", script, "\(port)", topic, payload], in: folders, executable: python)
        try #require(program.exitCode() == 0, "\(program.errors.text)")
    }

    /// The ids under which each text was heard.
    var texts: [String: Set<String>] {
        var texts: [String: Set<String>] = [:]
        for event in events {
            guard let text = event["text"].string, let id = event["id"].string, text.hasPrefix("text ") else {
                continue
            }
            texts[text, default: []].insert(id)
        }
        return texts
    }

    func stop() {
        program.signal(SIGKILL)
        _ = try? program.exitCode()
    }
}
