import Gateway
import Log
import Platform

/// A broker without a socket, for programs that invent what a broker sends. It keeps retained messages and acknowledges at once.
/// All of the gateway's work for it runs on the calling thread, in a time that only ``pass(milliseconds:)`` advances.
public final class CarriedBroker {
    /// Retained messages, by topic.
    public private(set) var kept: [String: [UInt8]] = [:]
    /// How many messages the gateway has published.
    public private(set) var published = 0
    /// The status, the generation, Home Assistant's birth, then the configurations, the last of which belongs to no device.
    public let topics: [String]
    /// Where Home Assistant commands something, and two topics of commands that there are not.
    public let commands: [String]

    private static let mostMessages = 100_000
    private let bridge: HomeBridge
    private let version: ProtocolChoice.Version
    private var isLive = false
    private let notes = Monitor(HomeBridge.Notes())
    private var now: HostTime

    /// - Parameter wall: milliseconds since 1970.
    public init(of gateway: Gateway, isOld: Bool, at wall: Int64) throws {
        var broker = Broker("made-up", path: "made-up.conf")
        broker.homeAssistant = .all
        broker.speech.channels = [.init("0")]
        (broker.speech.isDirect, broker.speech.takesCommands) = (true, true)
        let names = TopicNames(gateway: "0a1b2c3d")
        now = HostTime(wall: wall, steady: 1_000)
        version = isOld ? .mqtt311 : .mqtt5
        bridge = try HomeBridge(
            broker, names, gateway: gateway, facts: { GatewayFacts(version: "1.0") }, notes: notes, logger: .silent,
            showPlan: { _ in })
        let (sources, nodes) = try gateway.store.readCommitted { reader in
            let sources = try reader.sources()
            let own = sources.compactMap(\.source.nodeNumber)
            return (sources, try sources.flatMap { try reader.nodeNumbers(in: $0.id) }.filter { !own.contains($0) })
        }
        let devices = [.gateway] + sources.map { DeviceID(source: $0.source) } + nodes.map { DeviceID.node($0) }
        topics =
            [names.status, names.generation, names.birth]
            + (devices.map(\.object) + ["nobody"]).map { names.configuration($0) }
        commands =
            devices.flatMap { device in
                ["text_0", "restart", "text", "traceroute", "position"].map { names.command(device, $0) }
            } + ["\(names.base)/nobody/command/text", "\(names.base)/gateway/command/"]
    }

    /// Topics of the retained configurations.
    public var shown: Set<String> { Set(kept.keys.filter { $0.hasSuffix("/config") }) }

    public func connect() {
        if isLive { disconnect() }
        isLive = true
        _ = bridge.connected(version, BrokerLimits(), isSessionPresent: false, at: now)
        for topic in topics {
            guard let payload = kept[topic] else { continue }
            var message = IncomingMessage(topic, payload)
            message.isRetained = true
            bridge.received(message, at: now)
        }
        bridge.subscribed(isAllowed: true, at: now)
        work()
    }

    public func disconnect() {
        if isLive { bridge.ended(Ending(), at: now) }
        isLive = false
    }

    /// Disconnects and loses everything retained.
    public func forget() {
        disconnect()
        kept = [:]
    }

    /// Publishes as another client; the gateway hears it while connected.
    public func say(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
        if isRetained { kept[topic] = payload.isEmpty ? nil : payload }
        var message = IncomingMessage(topic, payload)
        // As it was published, where the gateway asks for that.
        message.isRetained = isRetained && commands.contains(topic)
        if isLive { bridge.received(message, at: now) }
        work()
    }

    /// As `mqtt refresh` does.
    public func refresh() {
        notes.withLock { $0.isRefreshWanted = true }
        work()
    }

    public func pass(milliseconds: Int64) {
        let end = now.steady + milliseconds
        work()
        while isLive, published < Self.mostMessages, let next = bridge.deadline, next <= end {
            move(to: max(next, now.steady + 1))
            work()
        }
        move(to: end)
        work()
    }

    private func move(to steady: Int64) {
        guard steady > now.steady else { return }
        now.wall += steady - now.steady
        now.steady = steady
    }

    private func work() {
        while isLive, published < Self.mostMessages {
            let publications = bridge.next(20, at: now)
            if publications.isEmpty { return }
            for publication in publications {
                published += 1
                if publication.isRetained {
                    kept[publication.topic] = publication.payload.isEmpty ? nil : publication.payload
                }
                bridge.settled(publication, .acknowledged, at: now)
            }
        }
    }
}
