import Gateway
import Log
import MeshModel
import Platform
import Store

/// The conversations of a broker on a thread of their own, from the start to the last goodbye. As with
/// ``BrokerAtWork``, only its successor, which has the same client id, and the end of the service wait for it.
final class TalkAtWork: Sendable {
    private struct Course: Sendable {
        var thread: Thread?
        var isJoined = false
        var hasEnded = false
    }

    let broker: Broker
    let mailbox: BrokerMailbox
    private let notes = Monitor(Talk.Notes())
    private let shown = Monitor(Talk.Shown())
    private let course = Monitor(Course())

    init(_ broker: Broker, _ mailbox: BrokerMailbox) { (self.broker, self.mailbox) = (broker, mailbox) }

    /// - Parameters:
    ///   - predecessors: those that are ending; it begins after them.
    ///   - run: makes the connection, and returns when it is over; on its thread.
    ///   - ended: called once, on its thread, when it has ended.
    /// - Returns: false if the system has no thread for it.
    func start(
        after predecessors: [TalkAtWork], _ run: @escaping @Sendable (TalkAtWork) -> Void,
        ended: @escaping @Sendable () -> Void
    ) -> Bool {
        course.withLock { course in
            course.thread = Thread.start(named: "talk \(broker.name)", stackBytes: 512 << 10) { [self] in
                for one in predecessors { one.course.wait(until: nil) { course, _ in course.hasEnded ? () : nil } }
                run(self)
                end()
                ended()
            }
            return course.thread != nil
        }
    }

    func talk(
        _ gateway: Gateway, _ names: TopicNames, all: Monitor<BrokerAllowance>, by program: BrokerProgram,
        logger: Logger
    ) {
        do {
            let wakes = mailbox.wakes
            let talk = try Talk(broker, gateway: gateway, notes: notes, shown: shown, all: all, logger: logger) {
                wakes.signal()
            }
            BrokerLoop(broker, names, user: talk, mailbox: mailbox, by: program, logger: logger).run()
        } catch {
            mailbox.update { ($0.state, $0.reason) = (.stopped, "the conversations cannot be read") }
            logger.error("the conversations at the broker \(broker.name) are not connected: \(error)")
        }
    }

    /// Called when conversations have changed, or a text waits.
    func wake() {
        notes.withLock { $0.isWoken = true }
        mailbox.wakes.signal()
    }

    func hurry() { mailbox.stop(isForGood: false) }

    var hasEnded: Bool { course.withLock { $0.hasEnded } }

    /// Blocks until it has ended. Only one thread may call this.
    func join() {
        let thread = course.withLock { course -> Thread? in
            guard !course.hasEnded else { return nil }
            course.isJoined = true
            return course.thread
        }
        thread?.join()
    }

    private func end() {
        let thread = course.notify { course in
            course.hasEnded = true
            return course.isJoined ? nil : course.thread
        }
        // No other thread joins it: here it detaches itself.
        thread?.join()
    }

    // MARK: what is shown

    func bridge(of conversation: BrokerConversation) -> ConversationBridge.Report {
        shown.withLock { $0.bridges[conversation.name] } ?? .init()
    }

    func connection(of conversation: BrokerConversation) -> BrokerConversation.Connection {
        let shown = shown.withLock { $0 }
        var connection = connection(of: conversation, shown)
        if let unreadable = shown.unreadable[conversation.name] {
            (connection.unopened, connection.unsealed) = (unreadable.unopened, unreadable.unsealed)
            if connection.state == .connected, connection.reason == nil {
                connection.reason = unreadable.reason(at: HostTime.now.steady)
            }
        }
        return connection
    }

    private func connection(
        of conversation: BrokerConversation, _ shown: Talk.Shown
    ) -> BrokerConversation.Connection {
        let (report, name) = (mailbox.report, conversation.name)
        switch report.state {
        case .waiting, .connecting: return .init(.connecting, since: report.since, reason: report.reason)
        case .refused: return .init(.refused, since: report.since, reason: report.reason)
        case .stopped: return .init(.noBroker, since: report.since, reason: report.reason)
        // Its filters are not answered yet.
        case .live where report.maySubscribe == nil: return .init(.connecting, since: report.since)
        case .live: break
        }
        if let flood = shown.floods[name] {
            return .init(.flooded, since: flood.since, reason: "\(flood.dropped) texts were too many, and are dropped")
        }
        if let refused = shown.refused[name] {
            return .init(
                .refused, since: refused.since, reason: "the broker does not let us read \(refused.filter.text)")
        }
        return .init(.connected, since: report.since, reason: shown.loss)
    }
}
