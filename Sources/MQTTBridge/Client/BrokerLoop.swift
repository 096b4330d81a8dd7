import Glibc
import Log
import Platform

// The connection to one broker, on its own thread:
//
//     wait --retry--> connecting (a process, started for it) --TCP--> shaking hands --CONNACK--> live
//       ^------------------- on any failure, with the delay of Retries --------------------------'
//
// 1. Whatever ends the process of a connection is a connection that ended, and leads to another one, but for an abort (3).
// 2. Nothing is published while not connected, and what was read is answered once it has been handled: only then the broker is told so.
// 3. A broker that makes the library abort is not used until a reload: it would do so again.

final class BrokerLoop {
    /// Milliseconds from TCP's connection to the CONNACK.
    static let handshakeTime: Int64 = 20_000
    /// Milliseconds for the last messages and the DISCONNECT.
    static let goodbyeTime: Int64 = 3_000
    /// Publications without an acknowledgement.
    static let mostInFlight = 20

    private enum Link {
        case waiting(until: Int64)
        case open(Open)
        /// Until a reload.
        case refused
    }

    private struct Open {
        let connection: BrokerConnection
        let version: ProtocolChoice.Version
        /// Steady milliseconds: of TCP's connection, and of the CONNACK.
        var since: Int64?
        var liveSince: Int64?
        var limits = BrokerLimits()
        /// What the broker has not answered yet, by number.
        var subscribing: [Int32: SubscriptionChange] = [:]
        /// Those of the connection's beginning were answered.
        var hasSubscribed = false
        var isAllowed = true
        var inFlight: [Int32: Publication] = [:]

        var room: Int { connection.isFull ? 0 : max(0, min(mostInFlight, limits.receiveMaximum) - inFlight.count) }
    }

    let broker: Broker
    private let names: TopicNames
    private let user: any BrokerUser
    private let mailbox: BrokerMailbox
    private let logger: Logger
    private var link = Link.waiting(until: 0)
    private var retries = Retries()
    private var choice = ProtocolChoice()
    /// The reason that was logged last, so that a day of the same one is logged once.
    private var said: String?
    private var hasSaidConnected = false
    /// How many accepted connections in a row ended within ten seconds.
    private var shortLives = 0
    /// Codes of refused publications that were logged.
    private var saidRefusals: Set<Int> = []
    private var goodbyeUntil: Int64?
    /// The broker is to be cleared, however long it is away.
    private var isClearing = false
    /// The same, also if the service ends meanwhile.
    private var isForGood = false
    private let program: BrokerProgram
    private let absence: Int64
    /// When the last good connection ended.
    private var awaySince = HostTime.now
    /// It has been away for too long, and has not been back for long enough.
    private var isAway = false

    /// - Parameters:
    ///   - program: what serves its connections.
    ///   - absence: how long it may be away, in milliseconds.
    init(
        _ broker: Broker, _ names: TopicNames, user: any BrokerUser, mailbox: BrokerMailbox, by program: BrokerProgram,
        absence: Int64 = RunningBrokers.usualAbsence, logger: Logger
    ) {
        (self.broker, self.names, self.user, self.program) = (broker, names, user, program)
        (self.mailbox, self.absence, self.logger) = (mailbox, absence, logger)
    }

    /// Returns once it was stopped.
    func run() {
        while true {
            let now = HostTime.now
            let mail = mailbox.take()
            if mail.isForGood { sayGoodbye(isForGood: true, at: now) }
            if mail.isHurried { sayGoodbye(isForGood: false, at: now) }
            user.look(at: now)
            if let alarm = user.alarm, alarm <= now.steady { user.ring(at: now) }
            changeSubscriptions(at: now)
            reconnectIfWanted(at: now)
            connectIfDue(at: now)
            noteAbsence(at: now)
            publish(at: now)
            if isDone(at: now) { break }
            wait()
        }
        sayDisconnect()
        // What was settled without a word of the broker's (QoS 0) is in no batch.
        try? user.keepReceived(at: .now)
        let isDone = user.isDone
        mailbox.update {
            $0.state = .stopped
            // Why it was away last is no reason why there is none any more.
            if isDone { $0.reason = nil }
        }
    }

    private func sayGoodbye(isForGood: Bool, at now: HostTime) {
        if isForGood {
            guard !self.isForGood else { return }
            (isClearing, self.isForGood) = (true, true)
        } else {
            guard goodbyeUntil == nil else { return }
            (goodbyeUntil, isClearing) = (now.steady + Self.goodbyeTime, false)
        }
        user.sayGoodbye(isForGood: isForGood, at: now)
    }

    /// Whether a goodbye is wanted, and has been said or cannot be.
    private func isDone(at now: HostTime) -> Bool {
        // A connection that is being made may have made a session, too: how it ends is waited for.
        guard isClearing || goodbyeUntil != nil else { return user.isDone && !isConnecting }
        if case .refused = link { return true }
        if let goodbyeUntil, now.steady >= goodbyeUntil { return true }
        guard case .open(let open) = link, open.liveSince != nil else { return !isClearing }
        let hasSaidAll = open.subscribing.isEmpty && open.inFlight.isEmpty && user.deadline == nil
        if hasSaidAll, isForGood { mailbox.update { $0.isCleared = true } }
        return hasSaidAll
    }

    private var isConnecting: Bool { if case .open(let open) = link { open.liveSince == nil } else { false } }

    /// What comes meanwhile is handled, because the broker is told so first.
    private func sayDisconnect() {
        // Ends its process.
        defer { link = .refused }
        guard case .open(let open) = link, open.liveSince != nil else { return }
        let connection = open.connection
        connection.disconnect()
        let end = min(goodbyeUntil ?? .max, MonotonicClock.milliseconds() + Self.goodbyeTime)
        while connection.end == nil {
            let left = end - MonotonicClock.milliseconds()
            guard left > 0 else { break }
            connection.write()
            var waiting = pollfd(
                fd: connection.descriptor, events: Int16(connection.wantsWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
            _ = retrying { poll(&waiting, 1, Int32(clamping: left)) }
            for event in connection.read() { takeLast(event, of: open) }
            guard keepReceived(on: connection) == nil else { break }
        }
    }

    /// What comes while we leave.
    private func takeLast(_ event: ConnectionEvent, of open: Open) {
        switch event {
        case .received(let message): take(message, at: .now)
        case .acknowledged(let number, let code, let text):
            if let publication = open.inFlight[number] { settle(publication, code, text, at: .now) }
        default: break
        }
    }

    /// Has the user keep what was received, and then answers it.
    ///
    /// - Returns: why that failed.
    private func keepReceived(on connection: BrokerConnection) -> (any Error)? {
        guard connection.owesAnswer else { return nil }
        do { try user.keepReceived(at: .now) } catch { return error }
        connection.answer()
        return nil
    }

    // MARK: connecting

    private func connectIfDue(at now: HostTime) {
        guard case .waiting(let time) = link, time <= now.steady, goodbyeUntil == nil else { return }
        user.connecting(at: now)
        do {
            let settings = try settings()
            let connection = try BrokerConnection(settings, named: broker.name, by: program)
            link = .open(Open(connection: connection, version: settings.version))
            mailbox.update { $0.state = .connecting }
        } catch let error as BrokerConnection.Failure {
            lose(error.text, at: now)
        } catch {
            lose("\(error)", at: now)
        }
    }

    private var clientID: String { (broker.clientID ?? "meshgw_\(names.gateway)") + user.session.suffix }

    private func settings() throws -> ConnectionSettings {
        try broker.checkCertificates()
        let session = user.session
        var settings = ConnectionSettings(
            choice.version, host: broker.host, port: UInt16(clamping: broker.port), clientID: clientID)
        settings.keepAlive = UInt16(clamping: broker.keepAlive)
        (settings.user, settings.password) = (broker.user, try broker.password())
        settings.hasTLS = broker.hasTLS
        (settings.authorities, settings.certificate, settings.key) = (
            broker.authorities, broker.certificate, broker.key
        )
        (settings.isClean, settings.sessionExpiry) = (session.isClean, session.expiry)
        settings.largestPacket = session.largestPacket
        settings.statusTopic = session.hasWill ? names.status : nil
        return settings
    }

    /// - Parameter isOurs: not the broker has ended it.
    private func lose(_ reason: String, _ ending: Ending = Ending(), isOurs: Bool = false, at now: HostTime) {
        var lasted: Int64?
        if case .open(let open) = link {
            lasted = open.liveSince.map { now.steady - $0 }
            if lasted != nil {
                user.ended(ending, at: now)
                choice.ended()
            } else if open.since != nil {
                choice.endedUnanswered()
            }
        }
        noteLength(lasted, isOurs: isOurs)
        if let lasted, lasted >= Retries.lasting { awaySince = now }
        let delay = retries.delay(afterLasting: lasted, draw: .random(in: 0..<1))
        link = .waiting(until: now.steady + delay)
        mailbox.update {
            $0.failures += 1
            $0.state = .waiting
            $0.reason = reason
        }
        say(lasted == nil ? "cannot connect to" : "lost", reason)
    }

    /// A connection that comes and goes is logged once each way.
    private func noteLength(_ lasted: Int64?, isOurs: Bool) {
        guard let lasted else { return }
        if lasted >= Retries.lasting {
            (said, shortLives) = (nil, 0)
            return
        }
        guard !isOurs else { return }
        shortLives += 1
        guard shortLives == 3 else { return }
        // Mosquitto 2.0.11 disconnects the older of two clients with one id without giving a reason.
        logger.warning("the broker \(broker.name) ends each connection at once: \(rivalQuestion)")
    }

    private var rivalQuestion: String { "has another client the client id \(clientID)?" }

    private func say(_ what: String, _ reason: String) {
        guard said != reason else { return }
        (said, hasSaidConnected) = (reason, false)
        logger.warning("\(what) the broker \(broker.name) (\(broker.address)): \(reason)")
    }

    // MARK: absence

    /// When ``noteAbsence(at:)`` has something to say, in steady milliseconds; nil if nothing.
    private var absenceChangesAt: Int64? {
        switch link {
        case .refused: nil
        case .open(let open): open.liveSince.map { isAway ? $0 + Retries.lasting : nil } ?? endOfPatience
        case .waiting: endOfPatience
        }
    }

    private var endOfPatience: Int64? { isAway ? nil : awaySince.steady + absence }

    /// A broker that takes us for a moment only is still away.
    private func noteAbsence(at now: HostTime) {
        guard let time = absenceChangesAt, time <= now.steady else { return }
        isAway.toggle()
        let since = isAway ? awaySince.wall : nil
        mailbox.update { $0.awaySince = since }
    }

    // MARK: waiting

    private func wait() {
        var descriptors = [pollfd(fd: mailbox.wakes.descriptor, events: Int16(POLLIN), revents: 0)]
        if case .open(let open) = link {
            open.connection.write()
            let events = POLLIN | (open.connection.wantsWrite ? POLLOUT : 0)
            descriptors.append(pollfd(fd: open.connection.descriptor, events: Int16(events), revents: 0))
        }
        let (now, next) = (MonotonicClock.milliseconds(), nextTime)
        let time = next.map { Int32(clamping: max(0, max(0, $0) - now)) } ?? -1
        let count = retrying { Int(poll(&descriptors, nfds_t(descriptors.count), time)) }
        if count > 0, descriptors[0].revents != 0 { mailbox.wakes.clear() }
        work(isReadable: count > 0 && descriptors.count > 1 && descriptors[1].revents & ~Int16(POLLOUT) != 0)
    }

    /// Steady milliseconds.
    private var nextTime: Int64? {
        var times = [goodbyeUntil, absenceChangesAt, user.alarm]
        switch link {
        case .waiting(let time): if goodbyeUntil == nil { times.append(time) }
        case .refused: break
        case .open(let open):
            if open.liveSince == nil {
                times.append(open.since.map { $0 + Self.handshakeTime })
            } else if open.room > 0 {
                times.append(user.deadline)
            }
        }
        return times.compactMap { $0 }.min()
    }

    /// Handles what the connection's process has told.
    private func work(isReadable: Bool) {
        guard case .open(let open) = link else { return }
        let (now, connection) = (HostTime.now, open.connection)
        if open.liveSince == nil, let since = open.since, now.steady >= since + Self.handshakeTime {
            return lose("it has not answered within \(Self.handshakeTime / 1000) s", at: now)
        }
        guard isReadable else { return }
        for event in connection.read() { handle(event, at: now) }
        // What was read last may have ended it already.
        guard case .open(let open) = link, open.connection === connection else { return }
        if let failure = keepReceived(on: connection) {
            return lose("what it has sent cannot be stored: \(failure)", isOurs: true, at: now)
        }
        guard let end = connection.end else { return }
        if end.isAbort { return giveUp("cannot be used: \(end.text)", end.text, at: now) }
        let ending = Ending(isTooLarge: end.isTooLarge, isUnanswered: end.isUnanswered)
        lose(end.text.isEmpty ? closed : end.text, ending, isOurs: end.isTooLarge, at: now)
    }

    private func handle(_ event: ConnectionEvent, at now: HostTime) {
        guard case .open(var open) = link else { return }
        switch event {
        case .opened:
            open.since = now.steady
            link = .open(open)
        case .answered(0, _, let limits, let isSessionPresent):
            (open.liveSince, open.limits) = (now.steady, limits)
            link = .open(open)
            becomeLive(isSessionPresent: isSessionPresent, at: now)
        case .answered(let code, let text, _, _): refuse(code, text, open.version, at: now)
        case .received(let message): take(message, at: now)
        case .acknowledged(let number, let code, let text):
            guard let publication = open.inFlight.removeValue(forKey: number) else { return }
            link = .open(open)
            settle(publication, code, text, at: now)
        case .subscribed(let number, let code): noteAnswer(number, code, at: now)
        case .unsubscribed(let number): noteAnswer(number, 0, at: now)
        case .ended(let code, let text):
            let isRival = code == 0x8E
            lose(isRival ? "another client has taken the session over, under our client id \(clientID)" : text, at: now)
        case .loaded, .missing, .failed, .endOfBatch: break
        }
    }

    private func noteAnswer(_ number: Int32, _ code: Int, at now: HostTime) {
        guard case .open(var open) = link, let change = open.subscribing.removeValue(forKey: number) else { return }
        if code >= 128 { open.isAllowed = false }
        let isFirst = open.subscribing.isEmpty && !open.hasSubscribed
        if isFirst { open.hasSubscribed = true }
        link = .open(open)
        user.answered(change, code: code, at: now)
        if isFirst { finishSubscribing(open.isAllowed, at: now) }
    }

    private func take(_ message: IncomingMessage, at now: HostTime) {
        mailbox.update { $0.received += 1 }
        user.received(message, at: now)
    }

    private func refuse(_ code: Int, _ reason: String, _ version: ProtocolChoice.Version, at now: HostTime) {
        switch Refusal(code, version) {
        case .version:
            if choice.refused() {
                // Try the other version at once.
                link = .waiting(until: now.steady)
            } else {
                lose("it knows neither MQTT 5 nor 3.1.1", at: now)
            }
        case .passing:
            choice.accepted()
            lose(reason, at: now)
        case .final: giveUp("refuses us: \(reason)", reason, at: now)
        }
    }

    private var closed: String {
        shortLives < 2
            ? "it has closed the connection"
            : "it ends each connection at once: \(rivalQuestion)"
    }

    /// Until a reload.
    private func giveUp(_ what: String, _ reason: String, at now: HostTime) {
        if case .open(let open) = link, open.liveSince != nil { user.ended(Ending(), at: now) }
        link = .refused
        isAway = false
        mailbox.update {
            ($0.state, $0.awaySince) = (.refused, nil)
            $0.reason = reason
        }
        logger.error(
            "the broker \(broker.name) (\(broker.address)) \(what); correct \(broker.path) and reload the service")
    }

    // MARK: live

    private func becomeLive(isSessionPresent: Bool, at now: HostTime) {
        guard case .open(let open) = link else { return }
        choice.accepted()
        if !hasSaidConnected { logger.notice("connected to the broker \(broker.name) (\(broker.address))") }
        hasSaidConnected = true
        let limits = open.limits
        mailbox.update {
            $0.state = .live
            $0.reason = nil
            $0.version = open.version
            $0.limits = limits
            $0.connections += 1
        }
        do {
            let wanted = try user.connected(open.version, open.limits, isSessionPresent: isSessionPresent, at: now)
            subscribe(wanted.map { .subscribe($0) })
        } catch {
            return lose("what is subscribed to cannot be stored: \(error)", isOurs: true, at: now)
        }
        guard case .open(var open) = link, open.subscribing.isEmpty else { return }
        open.hasSubscribed = true
        link = .open(open)
        finishSubscribing(open.isAllowed, at: now)
    }

    private func subscribe(_ changes: [SubscriptionChange]) {
        guard case .open(var open) = link else { return }
        for change in changes {
            let number =
                switch change {
                case .subscribe(let subscription): open.connection.subscribe(subscription)
                case .unsubscribe(let filter): open.connection.unsubscribe(filter)
                }
            open.subscribing[number] = change
        }
        link = .open(open)
    }

    private func changeSubscriptions(at now: HostTime) {
        guard case .open(let open) = link, open.liveSince != nil, goodbyeUntil == nil else { return }
        do {
            subscribe(try user.subscriptionChanges(at: now))
        } catch {
            lose("what is subscribed to cannot be stored: \(error)", isOurs: true, at: now)
        }
    }

    private func reconnectIfWanted(at now: HostTime) {
        guard user.wantsNewConnection, goodbyeUntil == nil, case .open(let open) = link, open.liveSince != nil else {
            return
        }
        sayDisconnect()
        user.ended(Ending(), at: now)
        link = .waiting(until: now.steady)
        mailbox.update { $0.state = .waiting }
    }

    private func finishSubscribing(_ isAllowed: Bool, at now: HostTime) {
        if !isAllowed, !user.logsRefusals {
            logger.warning(
                "the broker \(broker.name) does not let us subscribe; allow its user to read \(names.prefix)/# and "
                    + "\(names.base)/#")
        }
        mailbox.update { $0.maySubscribe = isAllowed }
        user.subscribed(isAllowed: isAllowed, at: now)
    }

    private func publish(at now: HostTime) {
        guard case .open(var open) = link, open.liveSince != nil else { return }
        while open.room > 0 {
            let publications = user.next(open.room, at: now)
            if publications.isEmpty { break }
            for publication in publications {
                var message = OutgoingMessage(publication.topic, publication.payload)
                (message.isRetained, message.expiry) = (publication.isRetained, publication.expiry)
                (message.quality, message.properties) = (publication.quality, publication.properties)
                open.inFlight[open.connection.publish(message)] = publication
                mailbox.update { $0.count(publication) }
            }
        }
        link = .open(open)
    }

    private func settle(_ publication: Publication, _ code: Int, _ reason: String, at now: HostTime) {
        // 16 is success: no subscriber.
        let isRefused = code >= 128
        if isRefused {
            if saidRefusals.insert(code).inserted {
                logger.warning("the broker \(broker.name) does not take \(publication.topic): \(reason)")
            }
            mailbox.update {
                $0.refused += 1
                $0.refusal = "\(publication.topic): \(reason)"
            }
        }
        // 0x97: quota exceeded.
        let outcome = !isRefused ? Outcome.acknowledged : code == 0x97 ? .postponed : .refused(code)
        user.settled(publication, outcome, at: now)
    }
}
