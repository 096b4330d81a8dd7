import Configuration
import ControlAPI
import Folders
import Glibc
import HTTPServer
import JSON
import Notifications
import Routes
import Rules
import Store
import Terminal

/// Who answers a command: the running daemon, the database alone, or the gateway in this process.
///
/// All three answer the same requests below `/local` with the same JSON.
enum Backend {
    case daemon(LocalClient)
    case database(ReadOnlyStore, path: String, LocalFolders)
    case ownGateway(OwnGateway)

    /// For a command that only reads: the running daemon, else what the database holds.
    ///
    /// - Parameter isTold: whether a person is told that no daemon runs.
    static func reading(_ viewing: Viewing, isTold: Bool = true) throws -> Backend {
        let settings = try viewing.gatewayOptions.configuration()
        switch try Reach.find(settings) {
        case .daemon(let client): return .daemon(client)
        case .file(let path):
            let store: ReadOnlyStore
            do { store = try Store.openReadOnly(path: path) } catch { throw failure("\(error).", error.exitStatus) }
            if isTold, !viewing.json {
                writeToStandardError("No daemon is running; this is from the database \(path).\n")
            }
            let file = viewing.gatewayOptions.read().file
            return .database(
                store, path: path,
                LocalFolders(
                    rules: FolderDoor(rulesIn: RulesFolder(besideFile: file)),
                    targets: FolderDoor(targetsIn: TargetsFolder(besideFile: file)), brokers: .rememberedBrokers,
                    pushes: .stored(hasAPNs: settings.appleKey != nil)))
        }
    }

    /// For a command that needs the radio: the running daemon, else a gateway in this process, connected to the radio.
    static func acting(_ viewing: Viewing) throws -> Backend {
        let configuration = try viewing.gatewayOptions.configuration()
        if var client = try Reach.daemon(configuration) {
            // The radio is asked many things for one answer, and may be slow.
            client.patience = 180
            return .daemon(client)
        }
        Interruption.watch()
        let gateway = try OwnGateway(configuration)
        try gateway.waitUntilLive(source: viewing.source, isQuiet: viewing.json) { Interruption.hasCome }
        gateway.isQuiet = viewing.json
        return .ownGateway(gateway)
    }

    /// Says good-bye to the radio where this process has it.
    func close() {
        if case .ownGateway(let gateway) = self { gateway.close() }
    }

    func get(_ path: String, _ query: [(String, String?)] = []) throws -> Page {
        let target = path + Self.text(query)
        switch self {
        case .daemon(let client): return try Page(client.answer("GET", target))
        case .database(let store, let path, let folders):
            do {
                return try Page(ControlAPI.page(target, from: store, folders: folders).answer)
            } catch let error as StoreError {
                throw failure("\(path): \(error).", .inputOutput)
            }
        case .ownGateway(let gateway): return try gateway.page("GET", target)
        }
    }

    /// - Parameter body: JSON.
    func post(_ path: String, _ query: [(String, String?)] = [], body: String) throws -> Page {
        let path = path + Self.text(query)
        switch self {
        case .daemon(let client): return try Page(client.answer("POST", path, body: body))
        case .database: preconditionFailure("the database alone changes nothing")
        case .ownGateway(let gateway): return try gateway.page("POST", path, body: body)
        }
    }

    static func text(_ query: [(String, String?)]) -> String {
        let parts = query.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.segment($0))" } }
        return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    }
}

/// An answer of a ``Backend``.
struct Page {
    let text: String
    let json: JSONValue

    /// Throws the sentence of a refusal.
    init(_ answer: LocalClient.Answer) throws {
        text = answer.text
        let parsed = JSONValue(answer.body, isOurs: true)
        json = parsed ?? .null
        if (200..<300).contains(answer.status) {
            guard parsed != nil else { throw failure("the daemon's answer is not whole; try once more.", .unavailable) }
            return
        }
        let reason = json["message"]?.string ?? json["error"]?.string ?? "it answered \(answer.status)"
        if answer.status == 404, reason.hasPrefix("Cannot ") {
            throw failure(
                "the running daemon is of another version and does not know this command; restart it "
                    + "(systemctl restart mesh-gateway).", .unavailable)
        }
        let status: ExitStatus =
            switch answer.status {
            case 400, 409, 413: .dataError
            case 404: .noInput
            case 403: .noPermission
            case 503, 504: .unavailable
            default: .software
            }
        throw failure("\(printable(reason)).", status)
    }
}

extension Page {
    /// What this process has answered itself.
    init(_ bytes: [UInt8]) throws { try self.init(LocalClient.Answer(status: 200, body: bytes)) }
}

extension Response {
    /// As it would have come over the socket.
    var answer: LocalClient.Answer {
        switch body {
        case .later: return awaited().answer
        case .empty: return LocalClient.Answer(status: status, body: [])
        case .bytes(let bytes): return LocalClient.Answer(status: status, body: bytes)
        case .stream(_, let next):
            var bytes: [UInt8] = []
            while let chunk = try? next() { bytes += chunk }
            return LocalClient.Answer(status: status, body: bytes)
        case .live: preconditionFailure("what never ends is no page")
        }
    }
}
