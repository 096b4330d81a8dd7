import Foundation
import HTTPServer
import Log
import MeshModel
import RadioLink
import Routes
import Testing

@testable import Gateway
@testable import RestAPI
@testable import Store

/// A gateway over a database of its own in a temporary folder, and the API in front of it. Its radio is unplugged.
final class TestGateway: Sendable {
    static let own = NodeNumber(0x1234_5678)
    static let peer = NodeNumber(0xABCD_EF12)
    /// A moment in 2026, in milliseconds.
    static let now: Int64 = 1_787_300_000_000

    let folder: String
    let store: Store
    let gateway: Gateway
    let api: RestAPI
    let id: SourceID
    let uuid: String
    let token: APIToken

    /// - Parameters:
    ///   - earlier: one on the same database, which was stopped.
    ///   - groupInterval: nanoseconds that a group of changes stays open.
    init(
        policy: ClientPolicy = ClientPolicy(), pace: SendingPace = .radio, shares: [SharedPortReport] = [],
        rules: FolderDoor = .noRules, brokers: FolderDoor = .noBrokers, targets: FolderDoor = .noTargets,
        pushes: PushDoor = .quiet, conversations: ConversationDoor = .house,
        after earlier: TestGateway? = nil, groupInterval: UInt64 = Store.groupInterval,
        makeLink: @escaping (any RadioLinkDelegate) -> RadioLink = {
            RadioLink(address: .path("/dev/null/none"), delegate: $0)
        }
    ) throws {
        folder = earlier?.folder ?? FileManager.default.temporaryDirectory.path + "/restapi-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try Store(path: folder + "/mesh.db", groupInterval: groupInterval)
        gateway = try Gateway(
            store: store, pace: pace, logger: .silent, makeLink: makeLink)
        api = RestAPI(
            Endpoints.served, gateway: gateway, version: "1.2.3", policy: policy, shares: { shares },
            rules: rules, brokers: brokers, targets: targets, pushes: pushes, conversations: conversations)
        let first = try #require(try store.read { try $0.sources() }.first)
        id = first.0
        uuid = first.1.uuid
        token = .random()
        let name = earlier == nil ? "test" : "test again"
        let hash = token.hash.bytes
        let prefix = token.prefix
        _ = try store.commit {
            try $0.insertToken(name: name, hash: hash, prefix: prefix, scopes: "", expiresAt: nil, at: Self.now)
        }
    }

    func stop() {
        gateway.stop()
        store.close()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: requests

    func get(_ target: String, headers: [(name: String, value: String)] = []) throws -> Answer {
        try ask("GET", target, headers: [bearer] + headers)
    }

    func post(_ target: String, _ body: String, type: String = "application/json") throws -> Answer {
        try ask("POST", target, headers: [bearer, (name: "Content-Type", value: type)], body: Array(body.utf8))
    }

    /// A token of its own with these scopes.
    func token(_ scopes: [String]) throws -> APIToken {
        try TokenRegister(store: store).create(
            name: "token \(UInt64.random(in: 0 ... .max))", scopes: try Scopes(parsing: scopes))
    }

    func ask(_ method: String, _ target: String, as token: APIToken, _ body: String = "") throws -> Answer {
        try ask(
            method, target,
            headers: [
                (name: "Authorization", value: "Bearer " + token.text),
                (name: "Content-Type", value: "application/json"), (name: "Host", value: "box:8080"),
            ], body: Array(body.utf8))
    }

    var bearer: (name: String, value: String) { (name: "Authorization", value: "Bearer " + token.text) }

    func ask(
        _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        peer: Peer = .tcp(address: "127.0.0.1")
    ) throws -> Answer {
        let request = Request(method: method, target: target, headers: headers, body: body, peer: peer)
        return try Answer(api.respond(request))
    }

    // MARK: what is stored

    @discardableResult
    func insert(_ text: String, packetID: PacketID, at time: Int64, change: (inout Message) -> Void = { _ in }) throws
        -> Message
    {
        var message = Message(
            id: "\(uuid)_\(Self.peer.rawValue)_\(packetID)", from: Self.peer, to: .broadcast, text: text, channel: 0,
            packetID: packetID, timestamp: time, createdAt: time, updatedAt: time)
        change(&message)
        let (row, id) = (message, id)
        #expect(try store.commit { try $0.insertMessage(row, in: id) })
        return row
    }

    func insert(_ channels: [Channel]) throws {
        let id = id
        try store.commit { try $0.updateChannels(channels, in: id, at: Self.now) }
    }

    func update(
        _ number: NodeNumber, at time: Int64 = TestGateway.now, _ change: @escaping @Sendable (inout Node) -> Void
    ) throws {
        let id = id
        try store.commit { try $0.updateNode(number, in: id, at: time, change) }
    }
}

/// A response as a client sees it.
struct Answer {
    let status: Int
    let response: Response
    let body: [UInt8]
    /// How it came: one size for each chunk.
    let chunks: [Int]

    init(_ response: Response) throws {
        let response = response.awaited()
        self.response = response
        status = response.status
        switch response.body {
        case .empty: (body, chunks) = ([], [])
        case .bytes(let bytes): (body, chunks) = (bytes, [bytes.count])
        case .stream(_, let next):
            var (whole, sizes): ([UInt8], [Int]) = ([], [])
            while let chunk = try next() {
                whole += chunk
                sizes.append(chunk.count)
            }
            (body, chunks) = (whole, sizes)
        case .live(let live):
            // What there is; then it would wait.
            var (whole, sizes): ([UInt8], [Int]) = ([], [])
            while case .bytes(let chunk) = try live.next(resume: {}) {
                whole += chunk
                sizes.append(chunk.count)
            }
            (body, chunks) = (whole, sizes)
        case .later: preconditionFailure("it was waited for")
        }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body read without our own parser.
    var json: NSDictionary {
        get throws { try #require(try JSONSerialization.jsonObject(with: Data(body)) as? NSDictionary, "\(text)") }
    }

    var message: String? { (try? json)?["message"] as? String }
    var rows: [NSDictionary] { get throws { try #require(try json["data"] as? [NSDictionary], "\(text)") } }
    var data: NSDictionary { get throws { try #require(try json["data"] as? NSDictionary, "\(text)") } }

    /// The texts of a message list.
    var texts: [String] { get throws { try rows.map { try #require($0["text"] as? String) } } }

    func header(_ name: String) -> String? { response.header(name) }
}
