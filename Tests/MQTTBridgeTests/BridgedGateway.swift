import Foundation
import Log
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import RadioSimulator
import Store
import Synchronization
import Testing

@testable import Gateway
@testable import MQTTBridge

/// A gateway whose rows a test writes by hand, or with a simulated radio, and the brokers of a folder.
final class BridgedGateway {
    private struct NoRadio: Error {}

    let folder: String
    let store: Store
    let gateway: Gateway
    let brokers: RunningBrokers
    let source: SourceID
    let radio: DeviceID
    /// nil: it is never there.
    let simulated: SimulatedRadio?
    let log = Monitor<[String]>([])
    private let packets = Atomic<UInt32>(1)

    /// - Parameters:
    ///   - absence: how long a broker may be away, in milliseconds.
    ///   - publicURL: where the web page is.
    ///   - options: of a simulated radio; nil for none.
    init(
        folder: String? = nil, absence: Int64 = RunningBrokers.usualAbsence, publicURL: String? = nil,
        radio options: SimulatorOptions? = nil
    ) throws {
        let folder = folder ?? NSTemporaryDirectory() + "bridged-\(UUID().uuidString)"
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder + "/brokers.d", withIntermediateDirectories: true)
        store = try Store(path: folder + "/db")
        let log = log
        let logger = Logger(LogThreshold(.debug)) { entry in log.notify { $0.append(entry.text) } }
        let simulated = try options.map { try SimulatedRadio($0) }
        self.simulated = simulated
        simulated?.start()
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(
                address: .connection(name: "simulated"),
                connect: {
                    guard let simulated else { throw NoRadio() }
                    return try simulated.connect()
                }, delegate: delegate)
        }
        if options != nil { gateway.start() }
        let found = try store.read { try $0.sources()[0] }
        (source, radio) = (found.id, DeviceID(source: found.source))
        brokers = RunningBrokers(
            gateway, folder: BrokersFolder(path: folder + "/brokers.d"), absence: absence, program: .ofTests,
            facts: { [gateway] in
                var facts = GatewayFacts(version: "1.0")
                facts.problems = gateway.problems.all(showsFiles: false, and: [])
                facts.publicURL = publicURL
                return facts
            }, logger: logger)
    }

    /// - Parameter lines: of the file, beside its url.
    func configure(
        _ port: Int?, named name: String = "house", _ lines: String = "home-assistant = all", scheme: String = "mqtt"
    ) throws {
        let path = "\(folder)/brokers.d/\(name).conf"
        if let port {
            try "url = \(scheme)://127.0.0.1:\(port)\n\(lines)\n".write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
        brokers.reload()
    }

    /// Something that a node tells.
    func hear(_ number: UInt32, temperature: Double? = nil, name: String? = nil, isFavorite: Bool? = nil) throws {
        let (source, number) = (source, NodeNumber(number))
        let packet = MeshPacket(
            from: number, to: .broadcast, id: packets.wrappingAdd(1, ordering: .relaxed).newValue,
            payload: .none)
        try store.commit(as: .live) { writer in
            let now = WallClock.milliseconds()
            try writer.updateNode(number, in: source, at: now) { node in
                node.lastHeard = now / 1000
                node.snr = -7.25
                node.hopsAway = 1
                if let name { node.longName = name }
                if let isFavorite { node.isFavorite = isFavorite }
            }
            guard let temperature else { return }
            try writer.insertTelemetry(
                Telemetry(kind: .environment, values: [.init("temperature", temperature)]), from: number,
                packet: packet, in: source, at: now)
        }
    }

    func forget(_ number: UInt32) throws {
        let (source, number) = (source, NodeNumber(number))
        try store.commit { _ = try $0.deleteNode(number, in: source) }
    }

    func eventually(_ what: String, _ condition: () -> Bool) throws {
        for _ in 0..<15_000 {
            if condition() { return }
            usleep(20_000)
        }
        try #require(condition(), "\(what)")
    }

    /// Waits for the radio and its channels.
    func waitUntilLive() throws {
        try eventually("live") { gateway.status(of: source).link == .live }
        try eventually("its channels") { (try? store.read { try !$0.channels(in: source).isEmpty }) ?? false }
    }

    func stop() {
        brokers.stop()
        gateway.stop()
        simulated?.stop()
        store.close()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}

/// What stands retained at a broker, as somebody sees it who comes now.
struct Retained {
    let messages: [String: String]

    /// - Parameters:
    ///   - isComplete: what has to be there before it is looked at; the newest state is given if it never is.
    ///   - authority: a file; nil: without TLS.
    init(at port: Int, authority: String? = nil, until isComplete: @escaping ([String: String]) -> Bool = { _ in true })
        throws
    {
        let reader = try RunningLoop(
            .local(port) { broker in
                broker.clientID = "reader-\(UUID().uuidString.prefix(8))"
                (broker.hasTLS, broker.authorities) = (authority != nil, authority)
            }, gateway: "ffffffff",
            user: RecordedUser(subscribingTo: ["homeassistant/#", "mesh-gateway/#"]))
        defer { reader.stop() }
        reader.user.wait("subscribed") { $0.isAllowed == true }
        // What is retained comes in its order, and a message of our own after it.
        reader.publish([Publication(topic: "mesh-gateway/ffffffff/end", payload: [0x31], isRetained: false)])
        reader.user.wait("all retained messages") { $0.received.contains { $0.topic.hasSuffix("/ffffffff/end") } }
        func kept(_ state: RecordedUser.State) -> [String: String] {
            var kept: [String: String] = [:]
            for message in state.received where !message.topic.contains("ffffffff") {
                kept[message.topic] = message.payload.isEmpty ? nil : message.payload
            }
            return kept
        }
        _ = reader.user.state.wait(seconds: 300) { isComplete(kept($0)) ? true : nil }
        messages = reader.user.state.withLock { kept($0) }
    }

    /// The objects that have a configuration.
    var shown: Set<String> {
        Set(messages.keys.filter { $0.hasSuffix("/config") }.map { String($0.split(separator: "/")[3]) })
    }

    /// The message of a group.
    func state(_ object: String, _ group: Group) -> String? {
        messages.first { $0.key.hasPrefix("mesh-gateway/") && $0.key.hasSuffix("/\(object)/\(group.rawValue)") }?.value
    }
}
