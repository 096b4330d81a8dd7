import MeshModel

// The brokers where Home Assistant has the mesh. Each has a line of its own, named after it.

let brokerChecks = [Check(brokersCheck) { _ in .skipped("There are no brokers.") }]

private let brokersCheck = "brokers"

/// A broker as its file and the daemon know it.
public struct BrokerFacts: Hashable, Sendable {
    public var name: String
    /// Of its file, or of a file that it names: a sentence with its place, without a full stop.
    public var mistake: String?
    /// As `mqtt status` has it; nil: no daemon could be asked, or it does not know this broker.
    public var state: String?
    /// Why it is not live.
    public var reason: String?
    /// It has been away for ten minutes.
    public var isAway = false
    /// Nil: not known.
    public var maySubscribe: Bool?
    /// Shown in Home Assistant.
    public var devices = 0
    /// Its conversations that are not as they should be, as the daemon says.
    public var conversations: [Conversation] = []
    /// Of a conversation of its that is bridged to a channel: what is wrong with that.
    public var bridge: Bridge?
    /// The path of a secret of its that every user of this computer can read.
    public var openSecret: String?

    public struct Conversation: Hashable, Sendable {
        public var name: String
        /// `refused` or `flooded`.
        public var state: BrokerConversation.Connection.State
        public var reason: String?

        public init(name: String, state: BrokerConversation.Connection.State, reason: String? = nil) {
            (self.name, self.state, self.reason) = (name, state, reason)
        }

        var problem: Problem.Kind? {
            switch state {
            case .refused: .conversationRefused
            case .flooded: .conversationFlooded
            case .connected, .connecting, .noBroker: nil
            }
        }
    }

    public struct Bridge: Hashable, Sendable {
        /// The conversation's.
        public var name: String
        /// Why nothing passes, or what its owner should know; without a full stop.
        public var text: String
        public var isStopped: Bool

        public init(name: String, text: String, isStopped: Bool) {
            (self.name, self.text, self.isStopped) = (name, text, isStopped)
        }
    }

    public init(name: String, mistake: String? = nil, state: String? = nil) {
        (self.name, self.mistake, self.state) = (name, mistake, state)
    }
}

extension Check {
    /// ``all``, with a line for each broker.
    public static func all(on facts: Facts) -> [Check] {
        all.flatMap { check in
            guard check.name == brokersCheck, !facts.brokers.isEmpty else { return [check] }
            return facts.brokers.map { broker in Check("broker-\(broker.name)") { finding(broker, $0) } }
        }
    }

    private static func finding(_ broker: BrokerFacts, _ facts: Facts) -> Finding {
        let standing = standing(broker, facts)
        if standing.status == .ok, let conversation = broker.conversations.first, let problem = conversation.problem {
            let why = conversation.reason.map { ": \($0)" } ?? ""
            let more = broker.conversations.count - 1
            return .warning(
                "\(problem): the conversation \(conversation.name) is \(conversation.state.rawValue)\(why)."
                    + (more > 0 ? " \(more) more of its conversations have a problem." : ""),
                fix: "mesh-gateway conversation " + (more > 0 ? "list" : "show \(conversation.name)"))
        }
        if standing.status == .ok, let bridge = broker.bridge {
            let what = bridge.isStopped ? "\(Problem.Kind.bridgeStopped): the" : "The"
            return .warning(
                "\(what) bridge of the conversation \(bridge.name)\(bridge.isStopped ? " is stopped" : ""): \(bridge.text).",
                fix: "mesh-gateway conversation show \(bridge.name)")
        }
        guard [.ok, .skipped].contains(standing.status), let path = broker.openSecret else { return standing }
        return .warning(
            "\(path) holds a secret, and every user of this computer can read it.", fix: "sudo chmod o-r \(path)")
    }

    private static func standing(_ broker: BrokerFacts, _ facts: Facts) -> Finding {
        let test = "mesh-gateway mqtt test \(broker.name)"
        if let mistake = broker.mistake {
            let end = mistake.hasSuffix("?") ? "" : "."
            return .warning("\(Problem.Kind.brokerBroken): \(mistake)\(end)", fix: "mesh-gateway mqtt status")
        }
        guard facts.daemon.isRunning else { return .skipped("No daemon to ask about the brokers.") }
        guard let state = broker.state else {
            return .warning(
                "The service has not read the file of this broker.", fix: "sudo systemctl reload mesh-gateway")
        }
        let why = broker.reason.map { ": \($0)" } ?? ""
        if broker.isAway {
            return .warning("\(Problem.Kind.brokerAway): it has been away for ten minutes or more\(why).", fix: test)
        }
        switch state {
        case "live" where broker.maySubscribe == false:
            return .warning("It does not let us read our topics.", fix: test)
        case "live":
            let count = broker.devices
            return .ok(
                "It is connected" + (count == 0 ? "." : count == 1 ? ", with 1 device." : ", with \(count) devices."))
        case "refused":
            return .warning(
                "\(Problem.Kind.brokerBroken): it refuses us\(why); its file is read again at a reload.", fix: test)
        case "stopped":
            return .warning(
                "\(Problem.Kind.brokerBroken): it is not connected to\(why).", fix: "mesh-gateway mqtt status")
        // That may be a restart of it.
        default: return .ok("It is not connected at the moment, and tried again\(why).")
        }
    }
}
