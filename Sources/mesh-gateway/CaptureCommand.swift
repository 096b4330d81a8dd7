import CommandLine
import Configuration
import ControlAPI
import Glibc
import JSON
import MeshProtocol
import Platform
import RadioLink
import Recordings
import Synchronization
import Terminal

/// `mesh-gateway capture`: the radio's traffic into a file.
struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Saves the traffic with the radio, without its secrets.",
        usage: """
            mesh-gateway capture <file> [--for <time>] [--force] [--json]
            mesh-gateway capture last <time> [<file>] [--force] [--json]
            """,
        discussion: """
            mesh-gateway capture FILE saves the traffic from now on, until Ctrl-C or for the time of --for. \
            mesh-gateway capture last 10m saves what a daemon's flight recorder has kept, even when that daemon was \
            killed. Private keys, channel keys and passwords are blanked, with their length kept, so that the file can \
            be shown to others; texts and positions are in it. mesh-gateway replay plays it.
            """,
        subcommands: [Live.self, Last.self], defaultSubcommand: Live.self)

    /// What both ways have.
    struct Target: ParsableArguments {
        @Flag(help: "Replace an existing file.")
        var force = false

        @OptionGroup var viewing: Viewing

        /// Looks before anything is done whether the file may be written.
        func check(_ file: String) throws {
            if file == "-", viewing.json {
                throw failure("the capture itself goes to standard output; name a file to have --json.", .usage)
            }
            var info = stat()
            guard file != "-", stat(file, &info) == 0 else { return }
            if info.st_mode & S_IFMT == S_IFDIR {
                throw failure("\(printable(file)): this is a folder; name a file in it.", .cannotCreate)
            }
            if !force {
                throw failure("\(printable(file)) already exists; replace it with --force.", .cannotCreate)
            }
        }

        /// The ring of the radio that is meant.
        func ring(_ settings: Configuration) throws -> Ring {
            let folder = Ring.folder(ofSocket: GatewayOptions.daemonSocket(settings))
            let rings: [Ring]
            do { rings = try Ring.all(in: folder) } catch { throw unreadable(error) }
            if let source = viewing.source {
                let named = Ring(folder: folder, device: source)
                if let found = rings.first(where: { $0.name == named.name }) { return found }
            } else {
                // A radio that was another one's place once has left its ring there.
                let present = settings.devices.map { Ring(folder: folder, device: "\($0)").name }
                let known = rings.filter { present.contains($0.name) }
                if let only = rings.count == 1 ? rings.first : known.count == 1 ? known.first : nil { return only }
            }
            if rings.isEmpty {
                throw failure(
                    "no flight recorder has kept anything in \(folder): either no daemon was running, or its "
                        + "configuration says flight-recorder = no; start one with mesh-gateway serve.", .noInput)
            }
            let names = rings.map(\.name).joined(separator: ", ")
            throw failure(
                "the flight recorder has \(names); name one with --source, by its device setting.", .noInput)
        }

        func unreadable(_ error: RecordingError) -> any Error {
            switch error {
            case .system(_, EACCES), .system(_, EPERM):
                failure("\(error); become the daemon's user (sudo) or join its group.", .noPermission)
            case .nothing:
                failure("\(error); try a longer one, such as mesh-gateway capture last 24h.", .noInput)
            default: failure("\(error).", .inputOutput)
            }
        }

        /// Says what was saved.
        func report(_ file: RecordingFile, _ path: String, _ ring: String, via: String) {
            if viewing.json {
                let object = JSONText.object([
                    ("schema", JSONText.quoted("capture/1")), ("via", JSONText.quoted(via)),
                    ("file", JSONText.quoted(path)), ("radio", JSONText.quoted(ring)),
                    ("entries", "\(file.entries)"), ("bytes", "\(file.bytes)"),
                    ("from", file.span.map { JSONText.quoted(ISO8601.text($0.lowerBound)) } ?? "null"),
                    ("until", file.span.map { JSONText.quoted(ISO8601.text($0.upperBound)) } ?? "null"),
                ])
                return writeToStandardOutput(object + "\n")
            }
            var text = "\(file.entries) entries (\(file.bytes) bytes) saved in \(printable(path))"
            if let span = file.span {
                text += ", from \(localTime(milliseconds: span.lowerBound, utc: viewing.utc))"
                text += " to \(localTime(milliseconds: span.upperBound, utc: viewing.utc))"
            }
            path == "-" ? writeToStandardError(text + "\n") : writeToStandardOutput(text + "\n")
        }
    }
}

/// Opens the file of a capture, or says why not.
private func opened(_ path: String) throws -> RecordingFile {
    do {
        return try RecordingFile(path)
    } catch {
        throw failure("\(printable("\(error)")); name a file in a folder where you may write.", .cannotCreate)
    }
}

/// Whatever goes wrong with the output. Who reads it may have had enough.
private func failed(_ error: any Error) -> any Error {
    if case RecordingError.system(_, EPIPE) = error { return ExitCode(0) }
    return failure("\(error).", .inputOutput)
}

extension CaptureCommand {
    /// `mesh-gateway capture last 10m [FILE]`.
    struct Last: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "last",
            abstract: "Saves the last minutes, hours or days from the flight recorder.")

        @Argument(help: ArgumentHelp("How far back: 90s, 10m, 2h, 1d.", valueName: "time"))
        var time: String

        @Argument(
            help: ArgumentHelp(
                "The file to write, - for standard output. Default: a name with the time.", valueName: "file"))
        var file: String?

        @OptionGroup var target: Target

        func run() throws {
            guard let length = TimeSpan.milliseconds(time) else {
                throw failure("\"\(printable(time))\" is no time; say \(TimeSpan.forms).", .usage)
            }
            let now = Int64(Glibc.time(nil)) * 1000
            let name = localTime(milliseconds: now, utc: false).map { " :".contains($0) ? "-" : $0 }
            let path = file ?? "capture-\(String(name)).jsonl"
            try target.check(path)
            let ring = try target.ring(target.viewing.gatewayOptions.configuration())
            let entries: [Ring.Dated]
            do { entries = try ring.entries(since: now - length) } catch {
                throw target.unreadable(error)
            }
            let output = try opened(path)
            do {
                for entry in entries { try output.append(entry.kind, at: entry.at) }
                try output.finish()
            } catch { throw failed(error) }
            target.report(output, path, ring.name, via: "recorder")
        }
    }

    /// `mesh-gateway capture FILE`.
    struct Live: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "live",
            abstract: "Saves the traffic from now on, until Ctrl-C.", shouldDisplay: false)

        @Argument(help: ArgumentHelp("The file to write, - for standard output.", valueName: "file"))
        var file: String

        @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time: 60s, 10m, 2h.", valueName: "time"))
        var duration: String?

        @OptionGroup var target: Target

        func run() throws {
            let limit = try duration.map { text in
                guard let length = TimeSpan.milliseconds(text) else {
                    throw failure("\"\(printable(text))\" is no time; say \(TimeSpan.forms).", .usage)
                }
                return Int(length / 1000)
            }
            try target.check(file)
            // Before the first thread, which inherits what is blocked.
            var signals = Signals()
            let settings = try target.viewing.gatewayOptions.configuration()
            let daemon = try Reach.daemon(settings)
            let ring = try daemon.map { _ in try target.ring(settings) }
            let output = LiveOutput(try opened(file))
            let progress = Progress(isQuiet: target.viewing.json || file == "-")
            progress.show(limit == nil ? "capturing; Ctrl-C ends it" : "capturing")
            let end = try ring.map { try follow($0, output) } ?? listen(settings, output, &signals)
            var signal: Int32?
            repeat { signal = limit.map { signals.wait(seconds: $0) } ?? signals.wait() } while signal == SIGHUP
            end()
            progress.end()
            do { try output.finish() } catch { throw failed(error) }
            output.withFile {
                target.report($0, file, ring?.name ?? "\(settings.devices[0])", via: daemon == nil ? "radio" : "daemon")
            }
            if let signal { throw ExitCode(128 + signal) }
        }

        /// What the running daemon records.
        private func follow(_ ring: Ring, _ output: LiveOutput) throws -> () -> Void {
            do {
                for entry in try ring.handshake(before: .max) {
                    try output.append(entry.kind, at: Int64(Glibc.time(nil)) * 1000)
                }
                let follower = try RingFollower(ring, { try output.append($0.kind, at: $0.at) }, ended: output.fail)
                return { follower.stop() }
            } catch let error as RecordingError {
                throw target.unreadable(error)
            }
        }

        /// What this process hears, which has the radio for itself.
        private func listen(
            _ settings: Configuration, _ output: LiveOutput, _ signals: inout Signals
        ) throws -> () -> Void {
            if settings.devices.count > 1 {
                throw failure("a capture is of one radio; name it with --device.", .usage)
            }
            let gateway = try OwnGateway(settings, recorder: { _ in output })
            try gateway.waitUntilLive(isQuiet: true) { signals.wait(seconds: 0) != nil }
            return { gateway.close() }
        }
    }
}

/// The file of a live capture, which a thread writes while the main thread waits for the end.
private final class LiveOutput: TrafficSink {
    /// `@unchecked Sendable`: touched only while the mutex is held.
    private final class State: @unchecked Sendable {
        let file: RecordingFile
        var error: (any Error)?
        init(_ file: RecordingFile) { self.file = file }
    }

    private let state: Mutex<State>

    init(_ file: RecordingFile) { state = Mutex(State(file)) }

    func append(_ kind: RecordedStream.Entry.Kind, at: Int64) throws {
        try state.withLock { state in
            if state.error == nil { try state.file.append(kind, at: at) }
        }
    }

    /// Ends the command as Ctrl-C would; ``finish()`` throws the reason.
    func fail(_ error: any Error) {
        state.withLock { $0.error = error }
        kill(getpid(), SIGTERM)
    }

    func finish() throws {
        try state.withLock { state in
            if let error = state.error {
                state.file.cancel()
                throw error
            }
            try state.file.finish()
        }
    }

    func withFile(_ body: (RecordingFile) -> Void) { state.withLock { body($0.file) } }

    // MARK: From the link of this process

    func add(_ kind: RecordedStream.Entry.Kind, at now: MonotonicTime) {
        do {
            try append(kind, at: WallClock.milliseconds())
        } catch {
            fail(error)
        }
    }

    func begin(after handshake: [UInt8], at now: MonotonicTime) {}
}
