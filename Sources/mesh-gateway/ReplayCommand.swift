import CommandLine
import Glibc
import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Recordings
import Routes
import Store
import Terminal

/// `mesh-gateway replay`: a recording through the gateway.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Runs a recording through the gateway, without a radio.",
        discussion: """
            Link, rules, database and API are the daemon's. Rows have the times of the recording, so that the answers \
            are the same every time, however fast it runs. With --api the answers go to standard output, one a line, \
            and the summary to standard error.
            """)

    @Argument(help: ArgumentHelp("The recording, from mesh-gateway capture.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("So many times the speed of the recording, or max.", valueName: "times"))
    var speed = "max"

    @Option(help: ArgumentHelp("Keep the result in this database.", valueName: "file"))
    var database: String?

    @Flag(help: "Replace an existing database.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Show the API's answer to a path, such as /api/v1/nodes; may be repeated.", valueName: "path")
    )
    var api: [String] = []

    @Option(
        help: ArgumentHelp(
            "When the replay begins, such as 2026-11-21T14:05:09.000Z. Default: as recorded.", valueName: "time"
        ))
    var at: String?

    @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
    var json = false

    @Flag(help: "Show times in UTC instead of local time.")
    var utc = false

    func run() throws {
        var options = Replay.Options()
        options.speed = try factor
        options.startsAt = try start
        for path in api where !path.hasPrefix("/") {
            throw failure("\"\(printable(path))\" is no path; say --api /api/v1/nodes.", .usage)
        }
        let recording = try read()
        let signals = Signals()
        let place = try ReplayDatabase(keptAs: database, force: force)
        signals.exitAfter {
            place.remove()
            Glibc.exit($0)
        }
        let progress = ReplayProgress(Progress(isQuiet: json), duration: recording.duration)
        options.progress = { progress.show($0) }
        let store: Store
        do { store = try openStore(place.path) } catch {
            place.remove()
            throw error
        }
        let outcome: Outcome
        do {
            let replay = try Replay(recording, into: store, options)
            try replay.run()
            outcome = try Outcome(replay, api)
        } catch {
            store.close()
            place.remove()
            progress.end()
            throw failure("\(printable(file)) cannot be replayed: \(error).", .dataError)
        }
        progress.end()
        store.close()
        try place.finish()
        show(outcome)
    }

    private var factor: Double? {
        get throws {
            if speed == "max" { return nil }
            guard let factor = Double(speed), (0.01...100_000).contains(factor) else {
                throw failure("\"\(printable(speed))\" is no speed; say --speed 10, or --speed max.", .usage)
            }
            return factor
        }
    }

    private var start: Int64? {
        get throws {
            try at.map { text in
                guard let time = ISO8601.milliseconds(text), time >= 0 else {
                    throw failure(
                        "\"\(printable(text))\" is no time; say --at 2026-11-21T14:05:09.000Z, in UTC.", .usage)
                }
                return time
            }
        }
    }

    private func read() throws -> Recording {
        let stream: RecordedStream
        do { stream = try RecordedStream(contentsOfFile: file) } catch {
            switch error {
            case .unreadable(_, let code):
                throw failure(
                    "\(printable(file)) cannot be read: \(systemMessage(code)); save one with mesh-gateway capture.",
                    code == EACCES ? .noPermission : .noInput)
            case .malformed(let line):
                throw failure(
                    "line \(line) of \(printable(file)) is not one of a recording; cut it off, or save a new one with "
                        + "mesh-gateway capture.", .dataError)
            }
        }
        do { return try Recording(stream) } catch {
            throw failure("\(printable(file)): \(error); save one with mesh-gateway capture.", .dataError)
        }
    }

    private func show(_ outcome: Outcome) {
        if json { return writeJSON(outcome.json(file: file, database: database)) }
        for answer in outcome.answers { writeJSON(answer.text) }
        let text = outcome.text(utc: utc, database: database)
        api.isEmpty ? writeToStandardOutput(text) : writeToStandardError(text)
    }
}

/// What a replay has led to.
private struct Outcome {
    let start: Int64
    let end: Int64
    let nodes: Int
    let messages: Int
    let channels: Int
    let packets: Int
    let traceroutes: Int
    let own: NodeNumber?
    let firmware: String?
    let answers: [(path: String, status: Int, text: String)]

    init(_ replay: Replay, _ paths: [String]) throws {
        start = replay.startedAt
        end = replay.clock()
        let api = API(servedEndpoints, gateway: replay.gateway, version: MeshGateway.version, clock: replay.clock)
        let store = replay.store
        let source = try store.read { try $0.sources().preferred }
        (nodes, messages, channels) = try store.read { try $0.counts(in: nil) }
        packets =
            try source.map { id, _ in
                try store.read { try $0.packetCounts(in: id, since: 0).reduce(0) { $0 + $1.count } }
            } ?? 0
        traceroutes = try source.map { id, _ in try store.read { try $0.tracerouteCount(in: id, limit: .max) } } ?? 0
        own = source?.1.nodeNumber
        firmware = source?.1.firmwareVersion
        answers = paths.map { path in
            let peer = Peer.local(user: geteuid(), group: getegid(), process: getpid())
            let answer = api.respond(Request(target: path, peer: peer)).answer
            return (path, answer.status, answer.text)
        }
    }

    func json(file: String, database: String?) -> String {
        let answers = answers.map { answer in
            JSONText.object([
                ("path", JSONText.quoted(answer.path)), ("status", "\(answer.status)"),
                (
                    "body",
                    JSONValue(Array(answer.text.utf8), isOurs: true) == nil ? JSONText.quoted(answer.text) : answer.text
                ),
            ])
        }
        return JSONText.object([
            ("schema", JSONText.quoted("replay/1")), ("via", JSONText.quoted("recording")),
            ("file", JSONText.quoted(file)), ("from", JSONText.quoted(ISO8601.text(start))),
            ("until", JSONText.quoted(ISO8601.text(end))),
            ("nodeId", own.map { JSONText.quoted($0.id) } ?? "null"),
            ("firmware", firmware.map { JSONText.quoted($0) } ?? "null"), ("nodes", "\(nodes)"),
            ("channels", "\(channels)"), ("messages", "\(messages)"), ("packets", "\(packets)"),
            ("traceroutes", "\(traceroutes)"), ("database", database.map { JSONText.quoted($0) } ?? "null"),
            ("answers", "[" + answers.joined(separator: ",") + "]"),
        ])
    }

    func text(utc: Bool, database: String?) -> String {
        var fields = Fields()
        fields.add("radio", own.map { $0.id + (firmware.map { ", firmware \($0)" } ?? "") })
        fields.add(
            "recorded",
            localTime(milliseconds: start, utc: utc) + " to " + localTime(milliseconds: end, utc: utc))
        fields.add("nodes", "\(nodes)")
        fields.add("channels", "\(channels)")
        fields.add("messages", "\(messages)")
        fields.add("packets", "\(packets)")
        fields.add("traceroutes", "\(traceroutes)")
        fields.add("database", database.map { "\($0); serve it with mesh-gateway serve --database, or look into it" })
        return fields.text(width: Screen.width, style: Screen.style(.bold))
    }
}

/// Where a replay stores: in a folder that is removed afterwards, or beside the database that is to be kept.
private struct ReplayDatabase: Sendable {
    let path: String
    private let keptAs: String?
    private let folder: String?

    private static let suffixes = ["", "-wal", "-shm"]

    init(keptAs: String?, force: Bool) throws {
        self.keptAs = keptAs
        if let keptAs {
            if access(keptAs, F_OK) == 0, !force {
                throw failure("\(printable(keptAs)) already exists; replace it with --force.", .cannotCreate)
            }
            (path, folder) = ("\(keptAs).\(getpid())~", nil)
            return
        }
        var template = Array("\(GatewayOptions.environment["TMPDIR"] ?? "/tmp")/mesh-gateway.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw failure(
                "no folder for a database can be made in the temporary folder: \(systemMessage(errno)).", .cannotCreate)
        }
        let made = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        (path, folder) = ("\(made)/mesh.db", made)
    }

    /// The store is closed.
    func finish() throws {
        guard let keptAs else { return remove() }
        for suffix in Self.suffixes.dropFirst() { unlink(keptAs + suffix) }
        guard rename(path, keptAs) == 0 else {
            let code = errno
            remove()
            throw failure("\(printable(keptAs)) cannot be written: \(systemMessage(code)).", .cannotCreate)
        }
    }

    func remove() {
        for suffix in Self.suffixes { unlink(path + suffix) }
        if let folder { rmdir(folder) }
    }
}

/// How far a replay is, in percent.
///
/// `@unchecked Sendable`: the replay tells from the one thread that runs it.
private final class ReplayProgress: @unchecked Sendable {
    private let progress: Progress
    private let duration: Double

    init(_ progress: Progress, duration: Double) {
        self.progress = progress
        self.duration = duration
    }

    func show(_ seconds: Double) { progress.show("replaying, \(Int(100 * min(1, seconds / max(duration, 0.001)))) %") }
    func end() { progress.end() }
}
