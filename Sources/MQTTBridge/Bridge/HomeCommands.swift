import Gateway
import Log
import MeshModel
import Store

// What Home Assistant may do, at one broker. What is not on this list is refused:
//
//     radio_RADIO/command/text_INDEX   NODE/command/text          the payload is the text
//     NODE/command/traceroute          NODE/command/position      PRESS
//     radio_RADIO/command/restart                                 PRESS
//
// Anybody who may publish there commands us, so each is held against what is shown, and all together against an allowance: two
// gateways whose automations answer each other are held by it, too.

final class HomeCommands {
    /// Milliseconds after which a text or a request is no longer sent.
    private static let lifetime: Int64 = 60_000
    /// Bytes of a payload that are looked at: three packets have 600.
    private static let longest = 4_096
    /// Refusals a minute that are told one by one.
    private static let mostRefusals = 10
    private static let minute: Int64 = 60_000
    /// Topics of which is remembered that something retained stands there.
    private static let mostTopics = 64
    /// Seconds until a radio restarts, as for the REST API.
    private static let untilRestart: Int32 = 5

    private enum Command {
        case text(OutgoingText.Destination)
        case request(NodeRequest)
        case restart

        /// - Parameter key: the last level of the topic.
        init?(_ key: String, of device: DeviceID) {
            switch (device, key) {
            case (.radio, "restart"): self = .restart
            case (.radio, _):
                guard let channel = (0..<8).first(where: { key == "text_\($0)" }) else { return nil }
                self = .text(.channel(channel))
            case (.node(let node), "text"): self = .text(.node(node))
            case (.node, "traceroute"): self = .request(.traceroute)
            case (.node, "position"): self = .request(.position)
            default: return nil
            }
        }

        /// Of the entity that says it.
        func component(_ key: String) -> String { if case .text = self { "notify_\(key)" } else { "button_\(key)" } }
    }

    private struct Refused: Error { let reason: String }

    private let broker: Broker
    private let names: TopicNames
    private let gateway: Gateway
    private let logger: Logger
    private var allowance = BrokerAllowance(atOnce: 30, perMinute: 6)
    /// Obeyed and refused since the broker came into force.
    private(set) var obeyed = 0
    private(set) var refused = 0
    private var saidRetained: Set<String> = []
    /// The minute in which refusals are counted: when it ends, in steady milliseconds, and how many were told and not told.
    private var refusals: (end: Int64, told: Int, untold: Int) = (.min, 0, 0)
    private var serial = 0

    init(_ broker: Broker, _ names: TopicNames, gateway: Gateway, logger: Logger) {
        (self.broker, self.names, self.gateway, self.logger) = (broker, names, gateway, logger)
    }

    /// QoS 0: what is pressed is pressed once, or not at all.
    var subscription: Subscription {
        var subscription = Subscription(names.commands)
        (subscription.quality, subscription.isRetainAsPublished) = (.atMostOnce, true)
        subscription.retainHandling = .never
        return subscription
    }

    func isCommand(_ topic: String) -> Bool {
        guard topic.hasPrefix(names.base + "/") else { return false }
        let levels = topic.dropFirst(names.base.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        return levels.count == 3 && levels[1] == "command"
    }

    /// - Parameter isShown: whether Home Assistant has this component of the device.
    /// - Returns: what became of it, if nothing of it will be in the change log.
    func take(
        _ message: IncomingMessage, _ mesh: ShownMesh, isShown: (DeviceID, String) -> Bool, at now: HostTime
    ) -> CommandOutcome? {
        let found = names.command(of: message.topic)
        let command = found.flatMap { Command($0.key, of: $0.device) }
        let key = command == nil ? nil : found?.key
        do throws(Refused) {
            guard !message.isRetained else { throw retained(message.topic) }
            guard let found, let command else { throw Refused(reason: "there is no such command") }
            guard isShown(found.device, command.component(found.key)) else {
                throw Refused(reason: "there is no such entity")
            }
            guard let source = mesh.source(through: found.device) else { throw Refused(reason: "no radio has it") }
            let id = try obey(command, message.payload, found.device, source.id, at: now)
            obeyed += 1
            logger.info("Home Assistant at the broker \(broker.name): \(found.key) of \(found.device.object)")
            return id.map { CommandOutcome(id: $0, "sent", key, of: found.device) }
        } catch {
            return refuse(key, found?.device, error.reason, at: now)
        }
    }

    /// - Returns: the id of the event that says that it was sent; nil where the change log says so.
    private func obey(
        _ command: Command, _ payload: [UInt8], _ device: DeviceID, _ source: SourceID, at now: HostTime
    ) throws(Refused) -> String? {
        switch command {
        case .text(let destination):
            let text = try Self.text(payload)
            try takeAllowance(at: now)
            let outgoing = OutgoingText(text: text, destination: destination, waits: true, lifetime: Self.lifetime)
            do throws(SendRefusal) {
                _ = try gateway.send(outgoing, by: Sender(.homeAssistant, broker.name), to: source)
            } catch { throw Refused(reason: error.words) }
            return nil
        case .request(let request):
            try checkPressed(payload)
            guard case .node(let node) = device else { throw Refused(reason: "there is no such command") }
            try takeAllowance(at: now)
            do throws(RequestRefusal) {
                let sent = try gateway.request(request, of: node, lifetime: Self.lifetime, in: source)
                return "\(request.rawValue) \(sent.packetID) \(now.wall)"
            } catch { throw Refused(reason: error.words) }
        case .restart:
            try checkPressed(payload)
            try takeAllowance(at: now)
            do throws(RadioRefusal) {
                try gateway.orderReboot(in: Self.untilRestart, of: source)
            } catch {
                throw Refused(reason: error == .notConnected ? "the radio was away" : "the radio did not take it")
            }
            serial += 1
            return "restart \(now.wall) \(serial)"
        }
    }

    private func takeAllowance(at now: HostTime) throws(Refused) {
        guard allowance.take(at: now.steady) else {
            throw Refused(reason: "there were too many: 30 at once and six a minute after that are the most")
        }
    }

    /// As a client of the REST API may post it.
    private static func text(_ payload: [UInt8]) throws(Refused) -> String {
        guard payload.count <= longest else { throw Refused(reason: "the text has more than \(longest) bytes") }
        guard let given = String(validating: payload, as: UTF8.self) else {
            throw Refused(reason: "the text is no UTF-8")
        }
        let text = given.withoutControlCharacters.trimmed
        guard !text.isEmpty else { throw Refused(reason: "the text is empty") }
        return text
    }

    private func checkPressed(_ payload: [UInt8]) throws(Refused) {
        guard payload.elementsEqual("PRESS".utf8) else { throw Refused(reason: "a button takes PRESS alone") }
    }

    /// A retained command would be obeyed at each start, for ever.
    private func retained(_ topic: String) -> Refused {
        if saidRetained.count < Self.mostTopics, saidRetained.insert(topic).inserted {
            logger.warning(
                "a command is retained at the broker \(broker.name), and is not obeyed: clear \(topic.prefix(120)) there, "
                    + "and publish commands without the retain flag")
        }
        return Refused(reason: "a retained command is not obeyed")
    }

    // MARK: refusals

    private func refuse(_ key: String?, _ device: DeviceID?, _ reason: String, at now: HostTime) -> CommandOutcome? {
        refused += 1
        serial += 1
        let summary = pass(at: now)
        if refusals.end <= now.steady { refusals = (now.steady + Self.minute, 0, 0) }
        guard summary == nil, refusals.told < Self.mostRefusals else {
            refusals.untold += 1
            return summary
        }
        refusals.told += 1
        return CommandOutcome(id: "refused \(now.wall) \(serial)", "refused", key, of: device, because: reason)
    }

    /// When ``pass(at:)`` has something, in steady milliseconds.
    var deadline: Int64? { refusals.untold > 0 ? refusals.end : nil }

    /// At the end of a minute with too many refusals: how many were not told.
    func pass(at now: HostTime) -> CommandOutcome? {
        guard let deadline, deadline <= now.steady else { return nil }
        var outcome = CommandOutcome(
            id: "refused \(now.wall) in all", "refused", nil, of: nil, because: "so many more were refused in a minute")
        outcome.count = refusals.untold
        refusals = (now.steady + Self.minute, 0, 0)
        return outcome
    }
}
