import Glibc
import Log
import Platform

// The connection to one broker, on its own thread:
//
//     wait --retry--> connecting (a thread for a moment: names and TCP block) --> shaking hands --CONNACK--> live
//       ^------------------- on any failure, with the delay of Retries --------------------------------------'
//
// 1. Errors lead to a reconnection, but for an abort (6) and a packet over the broker's limit. libmosquitto confuses them (2.0.21
//    calls a network error a TLS or protocol error, #3258) and returns some as success: only the descriptor and poll(2) decide.
// 2. A TLS handshake that fails may return success and want nothing (#2594, #2794): a readable socket without a byte, a hang-up
//    and the handshake's own deadline end the connection.
// 3. The descriptor is fetched before each poll: a failed call closes it, and its number may then belong to another file.
// 4. Nothing is published while not connected: the library would keep it for ever, without a bound.
// 5. After 256 kB of one packet the connection ends: no useful message is longer, and with MQTT 3.1.1 nothing else stops a broker
//    from making us allocate 256 MB for one.
// 6. A broker that makes the library abort is not used until a reload: each time leaks what the library had allocated.

final class BrokerLoop {
    /// Milliseconds from TCP's connection to the CONNACK.
    static let handshakeTime: Int64 = 20_000
    /// Milliseconds for the last messages and the DISCONNECT.
    static let goodbyeTime: Int64 = 3_000
    /// Publications without an acknowledgement.
    static let mostInFlight = 20
    /// Bytes read for one packet.
    static let longestPacket = 256 << 10

    private enum Link {
        case waiting(until: Int64)
        case connecting
        case open(Open)
        /// Until a reload.
        case refused
    }

    private struct Open {
        let connection: BrokerConnection
        /// Steady milliseconds: of TCP's connection, and of the CONNACK.
        let since: Int64
        var liveSince: Int64?
        var limits = BrokerLimits()
        /// Message numbers of the subscriptions that the broker has not answered yet.
        var subscribing: Set<Int32> = []
        var isAllowed = true
        var inFlight: [Int32: Publication] = [:]
        /// Bytes since the last packet that brought an event, and when that was, in steady milliseconds.
        var read = 0
        var wholeAt: Int64

        var room: Int { max(0, min(mostInFlight, limits.receiveMaximum) - inFlight.count) }
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
    private let hasWill: Bool
    private let absence: Int64
    /// When the last good connection ended.
    private var awaySince = HostTime.now
    /// It has been away for too long, and has not been back for long enough.
    private var isAway = false

    /// - Parameters:
    ///   - hasWill: the broker publishes `offline` as our status if the connection breaks.
    ///   - absence: how long it may be away, in milliseconds.
    init(
        _ broker: Broker, _ names: TopicNames, user: any BrokerUser, mailbox: BrokerMailbox, hasWill: Bool = true,
        absence: Int64 = RunningBrokers.usualAbsence, logger: Logger
    ) {
        (self.broker, self.names, self.user, self.hasWill) = (broker, names, user, hasWill)
        (self.mailbox, self.absence, self.logger) = (mailbox, absence, logger)
    }

    /// Returns once it was stopped.
    func run() {
        while true {
            let now = HostTime.now
            let mail = mailbox.take()
            if let isForGood = mail.goodbye { sayGoodbye(isForGood: isForGood, at: now) }
            if let attempt = mail.attempt { take(attempt, at: now) }
            connectIfDue(at: now)
            noteAbsence(at: now)
            publish(at: now)
            if isDone(at: now) { break }
            wait()
        }
        if case .open(let open) = link { sayDisconnect(open.connection) }
        mailbox.update { $0.state = .stopped }
    }

    private func sayGoodbye(isForGood: Bool, at now: HostTime) {
        if isForGood {
            guard !isClearing else { return }
            (isClearing, self.isForGood) = (true, true)
        } else {
            guard goodbyeUntil == nil else { return }
            (goodbyeUntil, isClearing) = (now.steady + Self.goodbyeTime, false)
        }
        user.sayGoodbye(isForGood: isForGood, at: now)
    }

    /// Whether a goodbye is wanted, and has been said or cannot be.
    private func isDone(at now: HostTime) -> Bool {
        guard isClearing || goodbyeUntil != nil else { return false }
        if case .refused = link { return true }
        if let goodbyeUntil, now.steady >= goodbyeUntil { return true }
        guard case .open(let open) = link, open.liveSince != nil else { return !isClearing }
        let hasSaidAll = open.subscribing.isEmpty && open.inFlight.isEmpty && user.deadline == nil
        if hasSaidAll, isForGood { mailbox.update { $0.isCleared = true } }
        return hasSaidAll
    }

    private func sayDisconnect(_ connection: BrokerConnection) {
        connection.disconnect()
        for _ in 0..<100 where connection.wantsWrite && connection.descriptor != nil {
            guard (try? connection.write()) != nil else { return }
        }
    }

    // MARK: connecting

    private func connectIfDue(at now: HostTime) {
        guard case .waiting(let time) = link, time <= now.steady, goodbyeUntil == nil else { return }
        do {
            let connection = try BrokerConnection(settings())
            let (host, port, keepAlive, mailbox) = (broker.host, broker.port, broker.keepAlive, mailbox)
            link = .connecting
            mailbox.update { $0.state = .connecting }
            let isStarted = Thread.detach(named: "mqtt connect") {
                var failure: BrokerConnection.Failure?
                do throws(BrokerConnection.Failure) {
                    try connection.connect(to: host, port: port, keepAlive: keepAlive)
                } catch {
                    failure = error
                }
                mailbox.deliver(.init(connection: connection, failure: failure))
            }
            if !isStarted { lose("there is no thread for it", at: now) }
        } catch let error as BrokerConnection.Failure {
            lose(broker.hasTLS && error.code == 3 ? "a file of the certificates cannot be read" : error.text, at: now)
        } catch {
            lose("\(error)", at: now)
        }
    }

    private var clientID: String { broker.clientID ?? "meshgw_\(names.gateway)" }

    private func settings() throws -> BrokerConnection.Settings {
        BrokerConnection.Settings(
            version: choice.version, clientID: clientID, user: broker.user,
            password: try broker.password(),
            hasTLS: broker.hasTLS, authorities: broker.authorities, certificate: broker.certificate, key: broker.key,
            statusTopic: hasWill ? names.status : nil)
    }

    private func take(_ attempt: BrokerMailbox.Attempt, at now: HostTime) {
        guard case .connecting = link, goodbyeUntil == nil else { return }
        if let failure = attempt.failure { return lose(failure.text, at: now) }
        link = .open(Open(connection: attempt.connection, since: now.steady, wholeAt: now.steady))
    }

    private func lose(_ reason: String, at now: HostTime) {
        var lasted: Int64?
        if case .open(let open) = link {
            lasted = open.liveSince.map { now.steady - $0 }
            if lasted != nil {
                user.ended(at: now)
                choice.ended()
            } else {
                choice.endedUnanswered()
            }
        }
        noteLength(lasted)
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
    private func noteLength(_ lasted: Int64?) {
        guard let lasted else { return }
        if lasted >= Retries.lasting {
            (said, shortLives) = (nil, 0)
            return
        }
        shortLives += 1
        guard shortLives == 3 else { return }
        // Mosquitto 2.0.11 disconnects the older of two clients with one id without giving a reason.
        logger.warning(
            "the broker \(broker.name) ends each connection at once: has another client the client id \(clientID), too?"
        )
    }

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
        case .waiting, .connecting: endOfPatience
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
        if case .open(let open) = link, let descriptor = open.connection.descriptor {
            let events = POLLIN | (open.connection.wantsWrite ? POLLOUT : 0)
            descriptors.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        }
        let (now, next) = (MonotonicClock.milliseconds(), nextTime)
        let time = next.map { Int32(clamping: max(0, max(0, $0) - now)) } ?? -1
        let count = retrying { Int(poll(&descriptors, nfds_t(descriptors.count), time)) }
        if count > 0, descriptors[0].revents != 0 { mailbox.wakes.clear() }
        work(count > 0 && descriptors.count > 1 ? descriptors[1].revents : 0)
    }

    /// Steady milliseconds.
    private var nextTime: Int64? {
        var times = [goodbyeUntil, absenceChangesAt]
        switch link {
        case .waiting(let time): if goodbyeUntil == nil { times.append(time) }
        case .connecting, .refused: break
        case .open(let open):
            guard open.connection.descriptor != nil else { return 0 }
            if open.liveSince == nil {
                times.append(open.since + Self.handshakeTime)
            } else {
                // A PINGREQ goes out when `misc` is called after a keep-alive of silence; brokers allow one and a half.
                let keepAlive = Int64(open.limits.keepAlive ?? broker.keepAlive)
                if keepAlive > 0 { times.append(MonotonicClock.milliseconds() + max(1, keepAlive / 3) * 1000) }
                if open.room > 0 { times.append(user.deadline) }
            }
        }
        return times.compactMap { $0 }.min()
    }

    /// Reads and writes as poll(2) says.
    private func work(_ ready: Int16) {
        guard case .open(var open) = link else { return }
        let (now, connection) = (HostTime.now, open.connection)
        guard connection.descriptor != nil else { return lose(connection.reason ?? Self.closed, at: now) }
        if open.liveSince == nil, now.steady >= open.since + Self.handshakeTime {
            return lose("it has not answered within \(Self.handshakeTime / 1000) s", at: now)
        }
        do throws(BrokerConnection.Failure) {
            var events: [ConnectionEvent] = []
            if ready & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                let unread = connection.unread
                open.read += unread
                events += try connection.read()
                if !events.isEmpty { (open.read, open.wholeAt) = (0, now.steady) }
                if events.isEmpty, unread == 0 { events.append(.ended(code: 0)) }
            }
            if connection.descriptor != nil, ready & Int16(POLLOUT) != 0 || connection.wantsWrite {
                events += try connection.write()
            }
            if connection.descriptor != nil { events += try connection.keepAlive() }
            link = .open(open)
            for event in events { handle(event, at: now) }
        } catch {
            if error.isAbort { return giveUp("cannot be used: \(error.text)", error.text, at: now) }
            return lose(error.text, at: now)
        }
        // Answers to pings bring no event: some 30 bytes with TLS, every five seconds at most.
        if case .open(let open) = link,
            Int64(open.read) > Int64(Self.longestPacket) + (now.steady - open.wholeAt) / 1000 * 64
        {
            lose("it sends a packet of more than \(Self.longestPacket >> 10) kB", at: now)
        }
    }

    private func handle(_ event: ConnectionEvent, at now: HostTime) {
        guard case .open(var open) = link else { return }
        switch event {
        case .answered(0, let limits):
            (open.liveSince, open.limits) = (now.steady, limits)
            link = .open(open)
            becomeLive(at: now)
        case .answered(let code, _): refuse(code, open.connection.version, at: now)
        case .received(let topic, let payload, let isRetained):
            mailbox.update { $0.received += 1 }
            user.received(topic, payload, isRetained: isRetained, at: now)
        case .acknowledged(let message, let code):
            guard let publication = open.inFlight.removeValue(forKey: message) else { return }
            link = .open(open)
            settle(publication, code, at: now)
        case .subscribed(let message, let code):
            open.subscribing.remove(message)
            if code >= 128 { open.isAllowed = false }
            link = .open(open)
            if open.subscribing.isEmpty { finishSubscribing(open.isAllowed, at: now) }
        case .ended(let code):
            let reason = open.connection.reason ?? Self.closed
            let text = code == 0 ? reason : BrokerConnection.text(ofRefusal: code, .mqtt5)
            lose(code == 0x8E ? "another client has taken the session over, under the same client id" : text, at: now)
        }
    }

    private func refuse(_ code: Int, _ version: ProtocolChoice.Version, at now: HostTime) {
        let reason = BrokerConnection.text(ofRefusal: code, version)
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

    private static let closed = "it has closed the connection"

    /// Until a reload.
    private func giveUp(_ what: String, _ reason: String, at now: HostTime) {
        if case .open(let open) = link, open.liveSince != nil { user.ended(at: now) }
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

    private func becomeLive(at now: HostTime) {
        guard case .open(var open) = link else { return }
        choice.accepted()
        if !hasSaidConnected { logger.notice("connected to the broker \(broker.name) (\(broker.address))") }
        hasSaidConnected = true
        let limits = open.limits
        mailbox.update {
            $0.state = .live
            $0.reason = nil
            $0.version = open.connection.version
            $0.limits = limits
            $0.connections += 1
        }
        for (filter, isLocal) in user.connected(open.connection.version, open.limits, at: now) {
            guard let message = try? open.connection.subscribe(filter, isLocal: isLocal) else {
                open.isAllowed = false
                continue
            }
            open.subscribing.insert(message)
        }
        link = .open(open)
        if open.subscribing.isEmpty { finishSubscribing(open.isAllowed, at: now) }
    }

    private func finishSubscribing(_ isAllowed: Bool, at now: HostTime) {
        if !isAllowed {
            logger.warning(
                "the broker \(broker.name) does not let us subscribe; allow its user to read \(names.prefix)/# and "
                    + "\(names.base)/#")
        }
        mailbox.update { $0.maySubscribe = isAllowed }
        user.subscribed(isAllowed: isAllowed, at: now)
    }

    private func publish(at now: HostTime) {
        guard case .open(var open) = link, open.liveSince != nil, open.connection.descriptor != nil else { return }
        while open.room > 0 {
            let publications = user.next(open.room, at: now)
            if publications.isEmpty { break }
            for publication in publications {
                do throws(BrokerConnection.Failure) {
                    let message = try open.connection.publish(
                        publication.topic, publication.payload, isRetained: publication.isRetained,
                        expiry: publication.expiry)
                    open.inFlight[message] = publication
                    mailbox.update { $0.count(publication) }
                } catch {
                    link = .open(open)
                    guard error.isOversize else { return lose(error.text, at: now) }
                    settle(publication, 0x95, at: now)
                }
            }
        }
        link = .open(open)
    }

    private func settle(_ publication: Publication, _ code: Int, at now: HostTime) {
        // 16 is success: no subscriber.
        let isRefused = code >= 128
        if isRefused {
            let reason = BrokerConnection.text(ofRefusal: code, .mqtt5)
            if saidRefusals.insert(code).inserted {
                logger.warning("the broker \(broker.name) does not take \(publication.topic): \(reason)")
            }
            mailbox.update {
                $0.refused += 1
                $0.refusal = "\(publication.topic): \(reason)"
            }
        }
        // 0x97: quota exceeded.
        user.settled(publication, !isRefused ? .acknowledged : code == 0x97 ? .postponed : .refused, at: now)
    }
}
