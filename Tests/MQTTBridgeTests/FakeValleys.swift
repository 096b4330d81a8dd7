import MeshModel

@testable import MQTTBridge

/// Gateways of several meshes with one topic at one broker, in virtual time: what is said on each channel and in each
/// conversation, and how often.
struct FakeValleys {
    struct Gateway {
        let mesh: Int
        var bridge: ChannelBridge
        /// Texts of the conversation, by their ids.
        var conversation: [String] = []
        var changes: Int64 = 0
    }

    private enum Event {
        case heard(gateway: Int, id: String, writer: String, text: String)
        case arrived(gateway: Int, id: String, writer: String, text: String)
    }

    private(set) var gateways: [Gateway] = []
    /// What was said on each channel, in its order.
    private(set) var channels: [Int: [String]] = [:]
    /// Ids of what was published, in their order.
    private(set) var published: [String] = []
    private(set) var now: Int64 = 0
    private var events: [(at: Int64, event: Event)] = []
    private var random: Seeded
    private var packets: UInt32 = 0
    /// When the broker's last message comes to each gateway.
    private var arrivals: [Int64]
    /// Milliseconds.
    private let airtime: Int64
    private let brokerDelays: ClosedRange<Int64>

    /// - Parameters:
    ///   - meshes: that of each gateway.
    ///   - airtime: after which everybody in a mesh has heard a text, in milliseconds.
    init(
        _ meshes: [Int], airtime: Int64 = 0, brokerDelays: ClosedRange<Int64> = 5...300, textsPerHour: Int = 100_000,
        seed: UInt64
    ) {
        (self.airtime, self.brokerDelays, random) = (airtime, brokerDelays, Seeded(state: seed))
        arrivals = meshes.map { _ in 0 }
        var settings = ConversationBridge(channel: 0, of: "radio")
        settings.textsPerHour = textsPerHour
        gateways = meshes.map { mesh in
            Gateway(
                mesh: mesh,
                bridge: ChannelBridge(settings, knowing: .init(), at: HostTime(wall: 0, steady: 0)))
        }
    }

    private var time: HostTime { HostTime(wall: 1_790_000_000_000 + now, steady: now) }

    /// A node says something on the channel of its mesh.
    mutating func say(_ text: String, by name: String, in mesh: Int) {
        packets += 1
        sendOut(text, by: name, id: "!a1b2c3d4-\(packets)", in: mesh, except: nil)
    }

    private mutating func sendOut(_ text: String, by name: String, id: String, in mesh: Int, except sender: Int?) {
        channels[mesh, default: []].append(text)
        for index in gateways.indices where gateways[index].mesh == mesh && index != sender {
            events.append((now + airtime, .heard(gateway: index, id: id, writer: name, text: text)))
        }
    }

    /// A client at the broker writes a text.
    mutating func write(_ text: String, by name: String, id: String) { publish(text, by: name, id: id, except: nil) }

    private mutating func publish(_ text: String, by name: String, id: String, except sender: Int?) {
        published.append(id)
        for index in gateways.indices where index != sender {
            // A broker keeps the order of what it hands on.
            arrivals[index] = max(arrivals[index], now + Int64.random(in: brokerDelays, using: &random))
            events.append((arrivals[index], .arrived(gateway: index, id: id, writer: name, text: text)))
        }
    }

    /// Until nothing is left to be done, or a time has passed.
    mutating func pass(_ milliseconds: Int64? = nil) {
        let end = milliseconds.map { now + $0 } ?? .max
        while let next = (events.map(\.at) + gateways.compactMap { $0.bridge.alarm(upsFrom: 0) }).min(), next <= end {
            now = max(now, next)
            deliver()
            for index in gateways.indices {
                work(index)
                deliver()
            }
        }
        if milliseconds != nil { now = end }
    }

    private mutating func deliver() {
        let due = events.filter { $0.at <= now }
        events.removeAll { $0.at <= now }
        for event in due { take(event.event) }
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .heard(let index, let id, let writer, let text):
            gateways[index].changes += 1
            let said = ChannelBridge.Said(
                change: gateways[index].changes, id: id, writer: writer, text: text, at: time.wall, mayGoUp: true,
                staysInHouse: false)
            let wait = Int64.random(in: ChannelBridge.upwardWaits, using: &random)
            gateways[index].bridge.heard(said, wait: wait, at: time)
        case .arrived(let index, let id, let writer, let text):
            guard !gateways[index].conversation.contains(id) else { return }
            tell(index, id: id, writer: writer, text: text, mayGoDown: true)
        }
    }

    private mutating func tell(_ index: Int, id: String, writer: String, text: String, mayGoDown: Bool) {
        gateways[index].conversation.append(id)
        let told = ChannelBridge.Told(
            key: id, id: id, words: BridgedWords.of(text, by: writer), mayGoDown: mayGoDown)
        let wait = Int64.random(in: ChannelBridge.downwardWaits, using: &random)
        gateways[index].bridge.told(told, wait: wait, at: time)
    }

    private mutating func work(_ index: Int) {
        let ups = gateways[index].bridge.dueUps(mayGo: true, at: time)
        gateways[index].bridge.settleUps(ups.count)
        for (up, goes) in ups where goes {
            // The row in the conversation is the last word.
            guard !gateways[index].conversation.contains(up.id) else { continue }
            tell(index, id: up.id, writer: up.writer, text: up.text, mayGoDown: false)
            publish(up.text, by: up.writer, id: up.id, except: index)
        }
        while let down = gateways[index].bridge.takeDown(at: time) {
            packets += 1
            sendOut(
                down.words, by: "Gateway \(index)", id: "!0000000\(index)-\(packets)", in: gateways[index].mesh,
                except: index)
        }
    }
}
