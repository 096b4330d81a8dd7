import Gateway
import JSON
import MeshModel
import Store

// What a rule would do about the past or about an event by hand: the texts as they would leave. Nothing is sent. What else may keep
// an act back, such as the share of the air, is not looked at.

/// An act that a test of a rule has come to.
public struct TestedAct: Sendable {
    /// A text or a request.
    struct Packet: Sendable {
        /// The key of the rule's file that asks for it.
        let key: String
        /// Where it would go, in words.
        let to: String
        /// nil: it is a request.
        let text: String?
        /// On the air, its header included.
        let bytes: Int
        /// Milliseconds.
        let airtime: Int64
    }

    /// As the rule's log would have it.
    let row: FeedRow
    var packets: [Packet] = []
    /// Why nothing would leave, in words; nil: it would.
    var why: String?

    init(_ row: FeedRow) { self.row = row }
}

/// What a test needs to know of the program that runs it.
public struct TestingHost: Sendable {
    let version: String

    public init(version: String = "") { self.version = version }
}

/// Makes acts into what would leave, for tests.
struct ActTrial {
    let facts: TestFacts
    let host: TestingHost
    /// Milliseconds since the service started; 0 if none runs.
    let uptime: Int64

    /// What a test leaves out, in a sentence.
    static let reach = "Nothing is sent. The limits of the air and cool-downs are left out."

    init(_ facts: TestFacts, _ host: TestingHost, at now: Int64) throws {
        (self.facts, self.host) = (facts, host)
        let last = try facts.reader.happenings(before: .max, limit: 1_000).first {
            $0.kind == .started || $0.kind == .stopped
        }
        uptime = last.map { $0.kind == .started ? max(0, now - $0.at) : 0 } ?? 0
    }

    /// - Parameter earlier: those of the same test, so that a rule which acts once for each node does so.
    func tested(_ acts: [Act], behind earlier: [TestedAct], at now: Moment) throws -> [TestedAct] {
        var found: [TestedAct] = []
        for act in acts {
            let isDone = act.acting.isOnce && act.node != nil && (earlier + found).contains { $0.row.node == act.node }
            if !isDone { found.append(try tested(act, at: now)) }
        }
        return found
    }

    private func tested(_ act: Act, at now: Moment) throws -> TestedAct {
        var tested = TestedAct(act.row)
        let planner = ActPlanner(
            reader: facts.reader, facts: facts, radio: radio, now: now, began: now.uptime - uptime,
            version: host.version, zone: .host)
        do {
            guard let plan = try planner.plan(act) else {
                tested.why = "no node is due now"
                return tested
            }
            tested.packets = try packets(of: plan, act.acting)
            if plan.claim.isQuiet { tested.why = Skipped.quiet.words }
        } catch let skipped as Skipped {
            tested.why = skipped.words
        }
        return tested
    }

    /// As if it were connected.
    private func radio(_ source: SourceID) -> ActRadio? {
        guard let known = try? facts.source(source), let number = known.nodeNumber else { return nil }
        return ActRadio(number, known.lora, isTransmitDisabled: false)
    }

    private func packets(of plan: ActPlan, _ acting: Acting) throws -> [TestedAct.Packet] {
        var keys: [String] = acting.reply == nil ? [] : ["reply"]
        keys += acting.text == nil ? [] : ["send"]
        var sizes = plan.bytes[...]
        let lora = try facts.source(plan.source)?.lora
        func packet(_ key: String, _ to: String, _ text: String?) -> TestedAct.Packet {
            let bytes = sizes.popFirst() ?? 0
            return .init(
                key: key, to: to, text: text, bytes: bytes, airtime: ActAirtime.milliseconds(bytes: bytes, lora))
        }
        var found: [TestedAct.Packet] = []
        for text in plan.texts {
            let key = text.isTapback ? "react" : keys.isEmpty ? "send" : keys.removeFirst()
            found.append(packet(key, try words(for: text.destination, in: plan.source), text.parts.joined()))
        }
        for request in plan.requests {
            switch request {
            case .ask(let kind, let node, let channel?) where node.isBroadcast:
                found.append(
                    packet("announce", "\(try words(for: .channel(channel), in: plan.source)): \(kind.rawValue)", nil))
            case .ask(let kind, let node, _):
                found.append(packet("ask", "\(try words(for: .node(node), in: plan.source)): \(kind.rawValue)", nil))
            case .ownPosition(let channel):
                found.append(packet("announce", "\(try words(for: .channel(channel), in: plan.source)): position", nil))
            }
        }
        return found
    }

    private func words(for destination: OutgoingText.Destination, in source: SourceID) throws -> String {
        switch destination {
        case .channel(let channel): try facts.channelNames(in: source)[channel] ?? "channel \(channel)"
        case .node(let number): try facts.node(number, in: source)?.shown ?? number.placeholderLongName
        }
    }
}

extension JSONWriter {
    /// The member `acts`.
    ///
    /// - Parameter uuid: that of a source.
    mutating func acts(_ acts: [TestedAct], uuid: (SourceID?) -> String?) {
        key("acts")
        array { json in
            for act in acts {
                json.object { json in
                    json.member("at", ISO8601.text(act.row.createdAt))
                    json.member("nodeId", act.row.node?.id)
                    json.member("messageId", act.row.messageID)
                    json.member("sourceId", uuid(act.row.source))
                    json.member("why", act.why)
                    json.key("packets")
                    json.array { json in for packet in act.packets { json.packet(packet) } }
                }
            }
        }
    }

    private mutating func packet(_ packet: TestedAct.Packet) {
        object { json in
            json.member("key", packet.key)
            json.member("to", packet.to)
            json.member("text", packet.text)
            json.member("textBytes", packet.text?.utf8.count)
            json.member("bytes", packet.bytes)
            json.member("milliseconds", packet.airtime)
        }
    }
}
