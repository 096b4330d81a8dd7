import CommandLine
import Configuration
import Gateway
import Glibc
import HTTPServer
import Log
import MeshModel
import RadioLink
import Routes
import Store
import Terminal

/// The gateway in this process, for one command while no daemon runs: the daemon's parts without its servers.
///
/// What it hears and sends goes into the database that the daemon would use, so that nothing gets lost; a user who may
/// not write there gets a database of his own that is gone afterwards.
final class OwnGateway {
    private let parts: GatewayParts
    let api: API
    private let temporaryFolder: String?

    var gateway: Gateway { parts.gateway }

    /// - Parameter recorder: what records the traffic of a radio.
    init(_ settings: Configuration, recorder: (DeviceSetting) -> (any TrafficSink)? = { _ in nil }) throws {
        let (store, folder) = try Self.store(settings)
        temporaryFolder = folder
        // Problems of the link are told by `waitUntilLive`.
        parts = try GatewayParts(
            settings, store: store, recorder: recorder,
            logger: Logger(LogThreshold(.critical), sink: LogOutput().write))
        api = API(servedEndpoints, gateway: parts.gateway, version: MeshGateway.version)
        parts.startRadios()
        parts.gateway.start()
        beforeExit.withLock { [parts, temporaryFolder] hook in hook = { Self.end(parts, temporaryFolder) } }
    }

    /// The database, and the folder that is to be removed with it.
    private static func store(_ settings: Configuration) throws -> (Store, String?) {
        let path = try GatewayOptions.databaseForServing(settings)
        do {
            return (try Store(path: path, program: MeshGateway.version), nil)
        } catch .permissionDenied, .readOnly {
            // What this user hears is his own business then.
        } catch {
            throw failure("\(error).", error.exitStatus)
        }
        var template = Array("\(GatewayOptions.environment["TMPDIR"] ?? "/tmp")/mesh-gateway.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw failure(
                "no folder for a database can be made in the temporary folder: \(systemMessage(errno)).", .cannotCreate)
        }
        let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        return (try openStore("\(folder)/mesh.db"), folder)
    }

    /// Waits until a radio has told everything about itself, a minute at most.
    ///
    /// - Parameters:
    ///   - source: whose, by UUID, name or device setting; nil: the oldest one's.
    ///   - isInterrupted: asked while waiting.
    func waitUntilLive(source: String? = nil, isQuiet: Bool, isInterrupted: () -> Bool) throws {
        let progress = Progress(isQuiet: isQuiet)
        defer { progress.end() }
        for tick in 0..<3000 {
            let status = status(of: source)
            // Adopted as well: before that, nobody knows whose radio it is.
            if status?.link == .live, status?.isResponsive == true { return }
            if let problem = status?.link.problem, tick > 10 || problem.kind == .noRadio {
                close()
                throw failure("no daemon is running, and the radio cannot be asked: \(problem.advice)", .unavailable)
            }
            progress.show("asking the radio (\(status?.link.name ?? "searching"))")
            if isInterrupted() {
                close()
                throw ExitCode(Interruption.hasCome ? Interruption.exitCode : 130)
            }
            usleep(20_000)
        }
        close()
        throw failure(
            "the radio did not send its settings within a minute; press its reset button, or try another cable.",
            .unavailable)
    }

    private func status(of source: String?) -> RadioStatus? {
        let id = try? parts.store.read { reader in
            try reader.sources().first { _, found in
                source.map { [found.uuid, found.name, found.device].contains($0) } ?? found.isEnabled
            }?.0
        }
        return id.map { parts.gateway.status(of: $0) }
    }

    /// Nothing but answers is written.
    var isQuiet = false
    private var hasSaidWho = false

    func page(_ method: String, _ target: String, body: String? = nil) throws -> Page {
        let page = try Page(respond(method, target, body: body).answer)
        sayWho()
        return page
    }

    /// Says once where answers come from.
    func sayWho() {
        if !isQuiet, !hasSaidWho { writeToStandardError("No daemon is running; this is from the radio itself.\n") }
        hasSaidWho = true
    }

    func respond(_ method: String, _ target: String, body: String? = nil) -> Response {
        let peer = Peer.local(user: geteuid(), group: getegid(), process: getpid())
        let headers = body == nil ? [] : [(name: "Content-Type", value: "application/json")]
        return api.respond(
            Request(method: method, target: target, headers: headers, body: Array((body ?? "").utf8), peer: peer))
    }

    /// Good-bye to the radio, everything on disk.
    func close() {
        beforeExit.withLock { $0 = nil }
        Self.end(parts, temporaryFolder)
    }

    private static func end(_ parts: GatewayParts, _ temporaryFolder: String?) {
        parts.stop()
        guard let temporaryFolder else { return }
        for suffix in ["", "-wal", "-shm"] { unlink("\(temporaryFolder)/mesh.db\(suffix)") }
        rmdir(temporaryFolder)
    }
}
