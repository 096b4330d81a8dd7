import Gateway
import Log
import MeshModel
import Platform
import Store

// The connections of all conversations over brokers: one for each broker in force that has conversations, or that may
// still keep a session for us. Without a conversation there is no thread, no process and no row.

public final class RunningConversations: Sendable {
    private struct All: Sendable {
        var running: [TalkAtWork] = []
        var leaving: [TalkAtWork] = []
        /// Brokers whose conversations are not connected, and why.
        var obstacles: [String: String] = [:]
        var isStopping = false
    }

    private let gateway: Gateway
    private let brokers: RunningBrokers
    private let program: BrokerProgram
    private let logger: Logger
    private let all = Monitor(All())
    private let allowance = Monitor(BrokerAllowance.ofAll)
    /// One change after the other.
    private let turn = Monitor(())

    /// - Parameter program: what serves the connections, each in a process of its own.
    public init(_ gateway: Gateway, _ brokers: RunningBrokers, program: BrokerProgram = .own, logger: Logger) {
        (self.gateway, self.brokers, self.program, self.logger) = (gateway, brokers, program, logger)
        brokers.follow { [weak self] in self?.look(isReload: true) }
    }

    /// Called when conversations have changed. Makes and ends connections as they are needed now. Returns at once.
    public func changed() { look(isReload: false) }

    /// Called when a text waits. Returns at once.
    public func textWaits() { for one in all.withLock({ $0.running }) { one.wake() } }

    /// - Parameter isReload: brokers that have refused us, and libraries that were missing, are tried again.
    private func look(isReload: Bool) {
        turn.withLock { _ in
            guard !all.withLock({ $0.isStopping }) else { return }
            do {
                bringIntoForce(try wantedBrokers(), isReload)
            } catch {
                logger.error("the conversations over brokers cannot be read: \(error)")
            }
        }
        gateway.problems.changed()
    }

    /// Brokers that have conversations, or may keep a session for us.
    private func wantedBrokers() throws -> Set<String> {
        try gateway.store.readCommitted { reader in
            try Set(reader.brokerConversations().map(\.conversation.broker)).union(reader.brokersWithSessions())
        }
    }

    private func bringIntoForce(_ wanted: Set<String>, _ isReload: Bool) {
        let before = all.withLock { $0 }
        let inForce = brokers.current.folder.inForce
        let new = inForce.filter { wanted.contains($0.name) }
        let leaving = before.leaving.filter { !$0.hasEnded }
        let kept = before.running.filter { one in
            guard inForce.contains(one.broker) else { return false }
            let state = one.mailbox.report.state
            // One that has ended all the same, or that refuses us, says why until it is tried again.
            return isReload ? ![.refused, .stopped].contains(state) : !one.hasEnded || one.mailbox.report.reason != nil
        }
        let left = before.running.filter { one in !one.hasEnded && !kept.contains { $0 === one } }
        for one in left { one.hurry() }
        var (running, obstacles) = (kept, [String: String]())
        for broker in new where !kept.contains(where: { $0.broker == broker }) {
            if let started = start(broker, after: leaving + left) {
                running.append(started)
            } else {
                obstacles[broker.name] = "the system has no thread or no descriptor for it"
            }
        }
        all.withLock { ($0.running, $0.leaving, $0.obstacles) = (running, leaving + left, obstacles) }
        for one in kept { one.wake() }
    }

    private func start(_ broker: Broker, after rivals: [TalkAtWork]) -> TalkAtWork? {
        let problems = gateway.problems
        guard let mailbox = BrokerMailbox(changed: { problems.changed() }) else { return nil }
        let one = TalkAtWork(broker, mailbox)
        let predecessors = rivals.filter { $0.broker.name == broker.name || $0.broker.isSame(as: broker) }
        let (gateway, allowance, program, logger) = (gateway, allowance, program, logger)
        let isStarted = one.start(after: predecessors) { one in
            guard let name = try? gateway.nameAtBrokers() else {
                return one.mailbox.update { ($0.state, $0.reason) = (.stopped, "our name at brokers cannot be stored") }
            }
            if let missing = BrokerConnection.missingLibrary(program) {
                return one.mailbox.update { ($0.state, $0.reason) = (.stopped, "\(missing)") }
            }
            let names = TopicNames(gateway: name, prefix: broker.prefix)
            one.talk(gateway, names, all: allowance, by: program, logger: logger)
        } ended: { [weak self] in
            self?.forget(one)
        }
        return isStarted ? one : nil
    }

    /// Forgets a connection that has ended by itself, because its broker keeps nothing for us any more. Then looks
    /// again: a conversation may have been made meanwhile.
    private func forget(_ one: TalkAtWork) {
        let isOver = all.withLock { all in
            // One that could not begin stays to say why, until a reload.
            guard one.mailbox.report.reason == nil, all.running.contains(where: { $0 === one }) else { return false }
            all.running.removeAll { $0 === one }
            return true
        }
        if isOver { changed() }
    }

    /// Disconnects from all brokers, which keep what comes while we are away.
    public func stop() {
        let ones = turn.withLock { _ in
            all.withLock { all in
                defer { (all.running, all.leaving, all.isStopping) = ([], [], true) }
                return all.running + all.leaving
            }
        }
        for one in ones { one.hurry() }
        for one in ones { one.join() }
    }

    // MARK: what is shown

    /// Home Assistant's prefixes at a broker; nil: no broker of this name is in force.
    public func prefixes(at broker: String) -> [String]? {
        brokers.current.folder.inForce(broker).map { [$0.prefix] }
    }

    public func connection(of conversation: BrokerConversation) -> BrokerConversation.Connection {
        let all = all.withLock { $0 }
        if let one = all.running.first(where: { $0.broker.name == conversation.broker }) {
            return one.connection(of: conversation)
        }
        let name = conversation.broker
        return .init(
            .noBroker,
            reason: all.obstacles[name]
                ?? "no broker \(name) is in force: mesh-gateway mqtt status shows those that are")
    }

    /// What became of texts for a conversation's channel, and what its owner should know.
    public func bridge(of conversation: BrokerConversation) -> ConversationBridge.Report {
        let one = all.withLock { $0.running.first { $0.broker.name == conversation.broker } }
        var report = one?.bridge(of: conversation) ?? .init()
        guard let bridge = conversation.bridge else { return report }
        let channel = try? gateway.store.readCommitted { reader in
            try reader.source(uuid: bridge.source).flatMap { try reader.channel(bridge.channel, in: $0.id) }
        }
        if channel?.uplinkEnabled == true {
            report.warnings.append(
                "channel \(bridge.channel) has uplinkEnabled: a Meshtastic broker has it as well, and texts may come twice"
            )
        }
        return report
    }

    /// What is wrong with conversations.
    ///
    /// - Parameter showsNames: of conversations and filters, for users of this machine: elsewhere they need a right of
    ///   their own.
    public func problems(showsNames: Bool) -> [Problem] {
        guard !all.withLock({ $0.running.isEmpty }),
            let found = try? gateway.store.readCommitted({ try $0.brokerConversations() })
        else { return [] }
        let problems = [
            found.lazy.compactMap { $0.conversation.bridgeProblem(showsNames: showsNames) }.first,
            problem(.conversationRefused, .refused, found, showsNames: showsNames),
            problem(.conversationFlooded, .flooded, found, showsNames: showsNames),
        ]
        return problems.compactMap(\.self)
    }

    /// Of the first conversation that is in this state.
    private func problem(
        _ kind: Problem.Kind, _ state: BrokerConversation.Connection.State, _ all: [FoundConversation],
        showsNames: Bool
    ) -> Problem? {
        for one in all {
            let connection = connection(of: one.conversation)
            guard connection.state == state else { continue }
            let (name, reason) = (one.conversation.name, connection.reason.map { ": \($0)" } ?? "")
            let command = "mesh-gateway conversation " + (showsNames ? "show \(name)" : "list")
            let what =
                showsNames
                ? "The conversation \(name) is \(state.rawValue)\(reason)"
                : "A conversation over a broker is \(state.rawValue)"
            return Problem(kind, "\(what). To see more: \(command)", command: command)
        }
        return nil
    }
}

extension BrokerConversation {
    fileprivate func bridgeProblem(showsNames: Bool) -> Problem? {
        guard let bridge, let reason = bridge.stop else { return nil }
        guard showsNames else {
            let command = "mesh-gateway conversation list"
            return Problem(
                .bridgeStopped, "The bridge of a conversation over a broker is stopped. To see more: \(command)",
                command: command)
        }
        let command = "mesh-gateway conversation edit \(name) \(bridge.options)"
        return Problem(
            .bridgeStopped,
            "The bridge of the conversation \(name) is stopped: \(reason). If the channel is the right one: \(command)",
            command: command)
    }
}
