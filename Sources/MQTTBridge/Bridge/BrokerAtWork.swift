import Gateway
import Log
import MeshModel
import Platform
import Store

// One broker in force, or one that is being left: its thread, and what other threads say to it and ask of it.
//
//     made --its predecessors have ended--> at work (HomeBridge, BrokerLoop) --goodbye, clearing--> ended
//
// 1. Nobody waits for it but its successor, on the successor's own thread, and the end of the service.
// 2. Two connections under one client id would end each other. So a broker that takes another one's place at the same address
//    begins when that has ended.

final class BrokerAtWork: Sendable {
    /// What is shown of a plan.
    struct ShownPlan: Sendable {
        var published = 0
        var deleted: [DeviceID] = []
        var texts: [BrokerStatus.ShownChannel] = []
        var commands = 0
        var commandsRefused = 0
    }

    /// What all brokers of a service have.
    struct Surroundings: Sendable {
        let gateway: Gateway
        let facts: @Sendable () -> GatewayFacts
        let program: BrokerProgram
        /// How long a broker may be away before that is a problem, in milliseconds.
        let absence: Int64
        let logger: Logger
    }

    private struct Course: Sendable {
        var thread: Thread?
        /// Somebody waits for the thread's end in earnest.
        var isJoined = false
        /// It has read what is remembered of the broker.
        var hasBegun = false
        var hasEnded = false
        /// What is remembered is to be forgotten once it was read.
        var isToForget = false
        /// Another one shows the same at the same broker.
        var isReplaced = false
    }

    /// How long a broker is given to be cleared when another one is to take its place, in nanoseconds.
    private static let clearingTime: UInt64 = 3_000_000_000

    let broker: Broker
    let mailbox: BrokerMailbox
    private let around: Surroundings
    private let notes: Monitor<HomeBridge.Notes>
    private let listener: ChangeListener
    private let shown = Monitor(ShownPlan())
    private let course = Monitor(Course())

    init(_ broker: Broker, _ mailbox: BrokerMailbox, _ around: Surroundings) {
        (self.broker, self.mailbox, self.around) = (broker, mailbox, around)
        let notes = Monitor(HomeBridge.Notes())
        self.notes = notes
        listener = around.gateway.changes(of: broker.homeAssistant == nil ? [] : HomeBridge.kinds) {
            notes.withLock { $0.isWoken = true }
            // Not needed before: a new connection reads everything.
            if mailbox.report.state == .live { mailbox.wakes.signal() }
        }
    }

    /// - Parameters:
    ///   - predecessors: those that are being left and have its name or its address.
    ///   - missing: why there is no library for it; asked on its thread.
    /// - Returns: false if the system has no thread for it.
    func start(after predecessors: [BrokerAtWork], missing: @escaping @Sendable () -> MissingLibrary?) -> Bool {
        course.withLock { course in
            course.thread = Thread.start(named: "mqtt \(broker.name)", stackBytes: 512 << 10) { [self] in
                for one in predecessors { wait(for: one) }
                run(missing)
                end()
            }
            return course.thread != nil
        }
    }

    var status: BrokerStatus {
        let plan = shown.withLock { $0 }
        return BrokerStatus(
            broker: broker, report: mailbox.report, devices: plan.published, deleted: plan.deleted.map(\.object),
            texts: plan.texts, commands: plan.commands, commandsRefused: plan.commandsRefused)
    }

    func note(_ change: (inout HomeBridge.Notes) -> Void) {
        notes.withLock { change(&$0) }
        mailbox.wakes.signal()
    }

    // MARK: leaving

    /// Has it say goodbye, or clear the broker, however long that is away. Returns at once.
    ///
    /// - Parameter isForGood: nothing of ours is to stay there, and what is remembered of it is forgotten.
    func leave(isForGood: Bool) {
        if isForGood {
            let isNow = course.withLock { course in
                course.isToForget = !course.hasBegun && !course.hasEnded
                return !course.isToForget
            }
            if isNow { forget() }
        }
        mailbox.stop(isForGood: isForGood)
    }

    /// Has it end within seconds. Returns at once.
    func hurry() { mailbox.stop(isForGood: false) }

    var hasEnded: Bool { course.withLock { $0.hasEnded } }

    /// Waits for its end. For one thread.
    func join() {
        let thread = course.withLock { course -> Thread? in
            guard !course.hasEnded else { return nil }
            course.isJoined = true
            return course.thread
        }
        thread?.join()
    }

    // MARK: the thread

    private func wait(for one: BrokerAtWork) {
        guard one.broker.isSame(as: broker) else {
            // It has the same name, and its rows are not ours.
            one.course.wait(until: nil) { course, _ in course.hasBegun || course.hasEnded ? () : nil }
            _ = around.gateway.store.settle(within: Self.clearingTime, always: true)
            return
        }
        if one.mailbox.take().isForGood, one.mailbox.report.state == .live {
            let end = MonotonicClock.nanoseconds() + Self.clearingTime
            _ = one.course.wait(until: end) { course, _ in course.hasEnded ? () : nil }
        }
        if one.broker.prefix == broker.prefix { one.course.withLock { $0.isReplaced = true } }
        one.hurry()
        one.course.wait(until: nil) { course, _ in course.hasEnded ? () : nil }
        _ = around.gateway.store.settle(within: Self.clearingTime, always: true)
    }

    private func run(_ missing: () -> MissingLibrary?) {
        guard missing() == nil else { return stop("libmosquitto is missing") }
        do {
            let names = TopicNames(gateway: try around.gateway.nameAtBrokers(), prefix: broker.prefix)
            let shown = shown
            let bridge = try HomeBridge(
                broker, names, gateway: around.gateway, facts: around.facts, notes: notes, logger: around.logger,
                showPlan: { plan in shown.withLock { $0 = plan } })
            begin()
            BrokerLoop(
                broker, names, user: bridge, mailbox: mailbox, by: around.program, absence: around.absence,
                logger: around.logger
            ).run()
        } catch {
            stop("what is remembered of it cannot be read")
            around.logger.error("the broker \(broker.name) is not connected to: \(error)")
        }
    }

    private func stop(_ reason: String) { mailbox.update { ($0.state, $0.reason) = (.stopped, reason) } }

    private func begin() {
        let isToForget = course.notify { course in
            course.hasBegun = true
            defer { course.isToForget = false }
            return course.isToForget
        }
        if isToForget { forget() }
    }

    private func end() {
        let mail = mailbox.take()
        if mail.isForGood, mail.isHurried, !mail.report.isCleared, !course.withLock({ $0.isReplaced }) {
            around.logger.warning(
                "what was shown at \(broker.address) is still there, because that broker was away: delete the devices in "
                    + "Home Assistant, or the retained messages below mesh-gateway/")
        }
        let (thread, isToForget) = course.notify { course in
            course.hasEnded = true
            return (course.isJoined ? nil : course.thread, course.isToForget)
        }
        if isToForget { forget() }
        // No other thread joins it: here it detaches itself.
        thread?.join()
    }

    /// From now on nothing of it is stored.
    private func forget() {
        let (store, name) = (around.gateway.store, broker.name)
        notes.withLock { notes in
            notes.isForgotten = true
            store.enqueue(
                .immediate,
                { writer in
                    try writer.forgetBroker(name)
                    try writer.forgetCursor(HomeEvents.reader(of: name))
                })
        }
    }
}

extension Gateway {
    /// What brokers know this gateway by. It is drawn once.
    func nameAtBrokers() throws -> String {
        // On a full disk it can be read, but not written.
        if let known = try store.readCommitted({ try $0.brokerGateway() }) { return known }
        return try store.commit { writer in try writer.brokerGateway { String(randomUUID().prefix(8)) } }
    }
}

/// Looks for the library once, on the first thread that needs it, while the others wait there.
final class LibraryCheck: Sendable {
    private let program: BrokerProgram
    private let found: @Sendable (MissingLibrary) -> Void
    private let answer = Monitor<MissingLibrary??>(nil)

    /// - Parameter found: called once if it is missing.
    init(_ program: BrokerProgram, found: @escaping @Sendable (MissingLibrary) -> Void) {
        (self.program, self.found) = (program, found)
    }

    var missing: MissingLibrary? {
        answer.withLock { answer in
            if let answer { return answer }
            let missing = BrokerConnection.missingLibrary(program)
            answer = .some(missing)
            if let missing { found(missing) }
            return missing
        }
    }
}
