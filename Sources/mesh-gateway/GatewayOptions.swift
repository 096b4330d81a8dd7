import CommandLine
import Configuration
import Glibc
import JSON
import Platform
import Store

/// Which daemon and which database a command means; the same options for all of them.
struct GatewayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file)
    var config: String?

    @Option(help: ArgumentHelp("The database file.", valueName: "file"), completion: .file)
    var database: String?

    @Option(help: ArgumentHelp("The running daemon's local socket.", valueName: "path"), completion: .file)
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The radio: auto, the path of a port, tcp:HOST[:PORT] (4403), or simulated, also as "
                + "simulated:seed=1,nodes=24 or simulated:fresh (as from the shop); may be repeated, for several radios. "
                + "Simulated radios have a database of their own.",
            valueName: "device"),
        completion: Completion.devices)
    var device: [String] = []

    /// The environment of this process.
    static let environment: [String: String] = {
        var found: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            // By bytes: every command does this for every variable, and characters have to be found first.
            if let sign = strchr(text, Int32(UInt8(ascii: "="))) {
                let name = UnsafeRawBufferPointer(start: text, count: sign - text)
                found[String(decoding: name, as: UTF8.self)] = String(cString: sign + 1)
            }
            entry += 1
        }
        return found
    }()

    /// File, environment and options, checked.
    func configuration(_ change: (inout Configuration.Options) -> Void = { _ in }) throws -> Configuration {
        let reading = read(change)
        guard let mistake = reading.mistakes.first else { return reading.configuration }
        let more = reading.mistakes.count - 1
        let advice = "mesh-gateway config check" + (config.map { " --config \($0)" } ?? "")
        throw failure("\(mistake)" + (more > 0 ? "; and \(more) more: \(advice)" : ""), .configuration)
    }

    /// File, environment and options with all their mistakes.
    func read(_ change: (inout Configuration.Options) -> Void = { _ in }) -> Configuration.Reading {
        var options = Configuration.Options()
        options.database = database
        options.socket = socket
        options.devices = device
        change(&options)
        return Configuration.read(file: config, environment: Self.environment, options: options)
    }

    /// Where a command without an answering daemon looks, in this order: the named database, the service's, the user's.
    static func existingDatabase(_ configuration: Configuration) -> String? {
        if let named = configuration.database { return named }
        return candidates(configuration).first { access($0, F_OK) == 0 || errno == EACCES }
    }

    /// Where `serve` puts its database: the service's folder when it may write there, else the user's own; nil: there is
    /// no place for it.
    static func servedDatabase(_ configuration: Configuration) -> String? {
        if let named = configuration.database { return named }
        let candidates = candidates(configuration)
        // A disk that the kernel has made read-only still is the place.
        return candidates.first { access(folder(of: $0), W_OK) == 0 || (errno == EROFS && access($0, F_OK) == 0) }
            ?? candidates.last
    }

    /// The same, with its folders made.
    static func databaseForServing(_ configuration: Configuration) throws -> String {
        if let named = configuration.database { return named }
        guard let path = servedDatabase(configuration) else {
            throw failure(
                "there is no place for the database: HOME is not set. Name one with --database FILE.", .cannotCreate)
        }
        makeFolders(folder(of: path))
        return path
    }

    /// Where a service keeps what lasts ($STATE_DIRECTORY, systemd.exec(5); the first when it lists several).
    static let stateDirectory = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)

    private static func candidates(_ configuration: Configuration) -> [String] {
        let paths = Paths.databaseCandidates(environment)
        // What was made up does not get among what was heard.
        let isSimulated = configuration.devices.contains { if case .simulated = $0 { true } else { false } }
        guard isSimulated else { return paths }
        return paths.map { folder(of: $0) + "/simulated.db" }
    }

    static func socketPath(_ configuration: Configuration) -> String {
        configuration.socket ?? Paths.socket(environment)
    }

    /// Of the daemon that a command speaks to: the user's own while there is one, else the service's. A login has
    /// $XDG_RUNTIME_DIR, and so looks elsewhere than the service by itself.
    static func daemonSocket(_ configuration: Configuration) -> String {
        let own = socketPath(configuration)
        guard configuration.socket == nil, access(own, F_OK) != 0 else { return own }
        // A folder that is closed to this user is there.
        return access(Paths.serviceSocket, F_OK) == 0 || errno == EACCES ? Paths.serviceSocket : own
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// `mkdir -p`; what fails shows when the folder is used.
    static func makeFolders(_ path: String) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            mkdir(made, 0o750)
        }
    }
}

/// The daemon that a command speaks to, or the database that it opens itself.
enum Reach {
    case daemon(LocalClient)
    case file(String)

    /// A running daemon is asked first, unless another database is named than the one that it uses.
    ///
    /// - Parameter orCreate: without daemon and database, where `serve` would put the database.
    static func find(_ configuration: Configuration, orCreate: Bool = false) throws -> Reach {
        if let client = try daemon(configuration) { return .daemon(client) }
        guard let path = GatewayOptions.existingDatabase(configuration) else {
            if orCreate { return .file(try GatewayOptions.databaseForServing(configuration)) }
            throw failure(
                "no daemon is running and there is no database yet; start one with: mesh-gateway serve", .noInput)
        }
        return .file(path)
    }

    /// The running daemon; nil when there is none, or when it uses another database than the one that is named.
    static func daemon(_ configuration: Configuration) throws -> LocalClient? {
        let client = LocalClient(path: GatewayOptions.daemonSocket(configuration))
        do throws(LocalClient.NoAnswer) {
            let answer = try client.request("GET", "/local/database")
            if answer.status == 403 { throw .noPermission }
            let data = JSONValue(answer.body)?["data"]
            if let named = configuration.database, realPath(named) != data?["path"]?.string { return nil }
            if let version = data?["version"]?.string, version != MeshGateway.version {
                writeToStandardError(
                    "mesh-gateway: the running daemon is version \(version) and this command \(MeshGateway.version); "
                        + "restart it: systemctl restart mesh-gateway\n")
            }
            return client
        } catch {
            switch error {
            case .notRunning: return nil
            case .noPermission:
                // Somebody with a database of his own, beside the service.
                if let named = configuration.database, access(named, R_OK) == 0 { return nil }
                throw failure(
                    "no permission to speak to the running daemon at \(client.path); put sudo before the command, or join its group.",
                    .noPermission)
            case .broken(let reason):
                throw failure("the daemon at \(client.path) cannot be asked: \(reason).", .unavailable)
            }
        }
    }
}

extension StoreError {
    var exitStatus: ExitStatus {
        switch self {
        case .noFolder: .cannotCreate
        case .missing: .noInput
        case .permissionDenied, .readOnly: .noPermission
        case .notADatabase, .foreign, .newer, .older: .dataError
        case .inUse: .unavailable
        case .nameTaken, .tokenKnown, .tokenRevoked, .makerRevoked, .tooManyOfMaker, .tooManyTokens: .dataError
        case .noRoom, .interrupted, .displaced, .closed, .tookTooLong, .failed: .inputOutput
        }
    }
}

/// Opens the database for a command that changes it, or says in one sentence why not. An older one is brought to the
/// present format.
///
/// - Parameters:
///   - retention: only the daemon deletes what is old.
///   - report: how that is told; nil: as to a person who has typed a command.
///   - awaitsDisk: a daemon starts also while the disk cannot be written.
func openStore(
    _ path: String, retention: Retention = .unlimited, report: UpgradeReport? = nil, awaitsDisk: Bool = false
) throws -> Store {
    try refuseFolder(path)
    let report = report ?? UpgradeReport()
    // A signal that waits then ends the command, unless somebody has a handler for it.
    defer { report.end() }
    do {
        return try Store(
            path: path, retention: retention, program: MeshGateway.version, observer: report, awaitsDisk: awaitsDisk)
    } catch {
        let reason = cannotOpen(error, path)
        if let signal = report.signal { throw ExitCode(128 + signal) }
        throw reason
    }
}

/// A database is a file.
func refuseFolder(_ path: String) throws {
    var info = stat()
    if stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR {
        throw failure("\(path): this is a folder; name a file in it.", .dataError)
    }
}
