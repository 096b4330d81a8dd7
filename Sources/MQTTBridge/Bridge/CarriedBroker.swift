import Gateway
import Log
import Platform

/// A broker without a socket, for programs that make up what a broker sends: it keeps what is retained, and acknowledges at once.
/// All that a gateway does with it is done on the calling thread, in a time that only ``pass(milliseconds:)`` moves.
public final class CarriedBroker {
    /// Retained, by topic.
    public private(set) var kept: [String: [UInt8]] = [:]
    /// Messages that were published.
    public private(set) var published = 0
    /// Of ours and Home Assistant's: the status, the generation, the birth, then configurations, the last of a device of nobody.
    public let topics: [String]

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
        let names = TopicNames(gateway: "0a1b2c3d")
        now = HostTime(wall: wall, steady: 1_000)
        version = isOld ? .mqtt311 : .mqtt5
        bridge = try HomeBridge(
            broker, names, gateway: gateway, facts: { GatewayFacts(version: "1.0") }, notes: notes, logger: .silent,
            showPlan: { _ in })
        let (sources, nodes) = try gateway.store.readCommitted { reader in
            let sources = try reader.sources()
            return (sources, try sources.flatMap { try reader.nodeNumbers(in: $0.id) }.prefix(4))
        }
        let devices = [.gateway] + sources.map { DeviceID(source: $0.source) } + nodes.map { DeviceID.node($0) }
        topics =
            [names.status, names.generation, names.birth]
            + (devices.map(\.object) + ["nobody"]).map { names.configuration($0) }
    }

    /// What is to be shown, by the topics of its configurations.
    public var shown: Set<String> { Set(kept.keys.filter { $0.hasSuffix("/config") }) }

    public func connect() {
        if isLive { disconnect() }
        isLive = true
        _ = bridge.connected(version, BrokerLimits(), at: now)
        for topic in topics {
            if let payload = kept[topic] { bridge.received(topic, payload, isRetained: true, at: now) }
        }
        bridge.subscribed(isAllowed: true, at: now)
        work()
    }

    public func disconnect() {
        if isLive { bridge.ended(at: now) }
        isLive = false
    }

    /// It has lost its memory.
    public func forget() {
        disconnect()
        kept = [:]
    }

    /// Somebody has published there, and whoever has subscribed hears it.
    public func say(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
        if isRetained { kept[topic] = payload.isEmpty ? nil : payload }
        if isLive { bridge.received(topic, payload, isRetained: !isLive && isRetained, at: now) }
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
