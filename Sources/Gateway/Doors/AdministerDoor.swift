import MeshModel
import MeshProtocol
import RadioLink
import Store

// What clients may ask of the radio and do to it: one policy, whatever way they come.
//
// | | read | send | admin |
// |---|---|---|---|
// | getters | yes | yes | yes |
// | clock | taken, not done: the gateway sets it | | |
// | time zone alone, where the radio has none | taken, not done: apps set it unasked, and the radio would restart | | |
// | favourite, ignored, muted nodes | no | yes | yes |
// | settings, channels, nodes of its memory, restart | no | no | yes, merged into what the radio has |
// | far nodes | no | no | yes |
// | factory reset, shutdown, files, updates, keys | no | no | no |
//
// 1. A refusal is an answer at once. Silence hangs some clients for ever, and others take it for success.
// 2. A client writes sections as a whole, without the secrets that it was not shown and the fields that it does not know. Only
//    what differs from what it was shown is changed (MergedSettings). What the gateway shows otherwise than it is on purpose
//    (the flags that hide settings, the proxy for a broker) is always the radio's; who turns the proxy on is refused, and
//    told why.
// 3. Changes are made one after the other, in a thread of their own: each waits for the radio's answer.
// 4. Getters are answered from the handshake; what is not in it is asked of the radio once (KeptAnswers).
// 5. While the radio restarts as it was told, orders wait for it (AwaitedRestart); getters are answered meanwhile.
// 6. begin and commit belong to one client. Meanwhile others are refused; after a minute the edit ends by itself, so that a
//    client that has vanished leaves nothing open.

/// What a client is answered.
public enum Administration: Sendable {
    /// The payload of an ADMIN packet that answers its own.
    case answer([UInt8])
    /// ROUTING without an error.
    case done
    /// Programs set this unasked, and nothing is done: ROUTING without an error for a client that wants an answer.
    case taken
    case refused(RoutingError)
    /// The same, and why, in a sentence for a person.
    case declined(RoutingError, why: String)
    /// It is for another node, and goes there.
    case submitted(Submission)
}

extension Gateway {
    /// Takes a client's ADMIN packet. Returns at once.
    ///
    /// - Parameters:
    ///   - shown: what the client was shown of the settings (``RadioHandshake/shown()``). It stands for the generation of
    ///     its handshake: it keeps that one's settings for as long as the client keeps it, and a getter's answer is added.
    ///     Nil, or of a radio that is no longer this one: nothing was shown, and changes of settings are refused.
    ///   - done: is called once, on any thread, within about two minutes.
    public func administer(
        _ packet: ClientPacket, by sender: Sender, right: ClientRight, shown: ShownSettings?, of source: SourceID,
        done: @escaping @Sendable (Administration) -> Void
    ) {
        guard let content = packet.content, content.port == .admin else { return done(.refused(.badRequest)) }
        let radio = radios.feeding(source)
        guard let own = radio?.attachment.snapshot?.number ?? shown?.own else {
            return done(.refused(.noInterface))
        }
        // What was shown of another radio says nothing about this one: then nothing was shown.
        let shown = shown?.own == own ? shown : nil
        let order = AdminOrder(content.payload)
        if packet.to == own, let order, let shown, order.setsTimeZoneOnly(where: shown) { return done(.taken) }
        guard let radio else { return done(.refused(.noInterface)) }
        guard packet.to == own else {
            // A radio obeys what goes to everybody, too; of the reserved numbers firmware takes 1 for everybody.
            guard right == .admin, packet.to.mayBeNode else { return done(.refused(.notAuthorized)) }
            return radio.submit(packet, by: sender, to: source) { done(.submitted($0)) }
        }
        guard content.payload.count <= ClientPacket.longestPayload else { return done(.refused(.tooLarge)) }
        guard let order else { return done(.refused(.badRequest)) }
        radio.administer(order, by: sender, right: right, shown: shown, of: source, done: done)
    }

    /// A client has gone: the edit that it has begun ends.
    public func endEdit(by sender: Sender, of source: SourceID) {
        guard let radio = radios.feeding(source) else { return }
        let end = { @Sendable in radio.endEdit(.of(sender)) }
        // Behind what it has ordered before: the begin may be among it, and the commit.
        if radio.administration.orders.isIdle { end() } else { radio.administration.orders.addLast(end) }
    }
}

extension AttachedRadio {
    fileprivate func administer(
        _ order: AdminOrder, by sender: Sender, right: ClientRight, shown: ShownSettings?, of source: SourceID,
        done: @escaping @Sendable (Administration) -> Void
    ) {
        switch order.kind {
        // Behind the client's own changes, so that it is shown what it has set, as at a radio.
        case .getter where administration.orders.areDue(of: sender) && !isRestarting:
            let isTaken = administration.orders.add(of: sender) { [self] in
                get(order, right, shown, of: source, done: done)
            }
            if !isTaken { done(.refused(.rateLimitExceeded)) }
        case .getter: get(order, right, shown, of: source, done: done)
        case .clock: done(.done)
        // Every change between them is refused, or is saved without them.
        case .begin where right < .admin, .commit where right < .admin:
            done(.done)
        case .everyday where right < .send, .setting where right < .admin, .forbidden: done(.refused(.notAuthorized))
        case .begin, .commit, .everyday, .setting:
            guard takesPackets(of: source) || isRestarting(of: source) else {
                return done(.refused(.noInterface))
            }
            let deadline = monotonic() + Self.restartPatience
            let isTaken = administration.orders.add(of: sender) { [self] in
                done(obey(order, by: sender, shown, of: source, until: deadline))
            }
            if !isTaken { done(.refused(.rateLimitExceeded)) }
        }
    }

    // MARK: Getters

    private func get(
        _ order: AdminOrder, _ right: ClientRight, _ shown: ShownSettings?, of source: SourceID,
        done: @escaping @Sendable (Administration) -> Void
    ) {
        if let known = shown?.answer(to: order) { return done(.answer(known.withPasskey)) }
        let empty = order.asksForText ? ShownSettings.emptyAnswer(to: order) : nil
        let answer = { @Sendable (outcome: AdminOutcome) in
            switch outcome {
            case .answered(.payload(let payload), _):
                shown?.note(payload)
                done(.answer(payload.withPasskey))
            case .answered(.refused(let error), _): done(empty.map { .answer($0.withPasskey) } ?? .refused(error))
            case .answered: done(empty.map { .answer($0.withPasskey) } ?? .done)
            case .silent: done(empty.map { .answer($0.withPasskey) } ?? .refused(.timeout))
            case .notConnected: done(empty.map { .answer($0.withPasskey) } ?? .refused(.noInterface))
            }
        }
        guard takesPackets(of: source) else { return answer(.notConnected) }
        let now = monotonic()
        switch administration.step(order, right: right, at: now, answer) {
        case .known(let outcome): answer(outcome)
        case .ask(let inquiry): ask(inquiry)
        case .wait: break
        case .refused: done(.refused(.rateLimitExceeded))
        }
    }

    private func ask(_ inquiry: KeptAnswers.Inquiry) {
        ask(.passed(inquiry.order)) { [self] outcome in
            let (askers, next) = administration.take(outcome, to: inquiry, at: monotonic())
            if let next { ask(next) }
            for answer in askers { answer(outcome) }
        }
    }
}

extension AdminOrder {
    /// Apple's app sets the time zone of a radio that has none, unasked. An order that changes anything else as well is
    /// carried out.
    fileprivate func setsTimeZoneOnly(where shown: ShownSettings) -> Bool {
        guard variant == 34, let wanted = section, wanted.name.description == "device",
            let before = shown.section(wanted.name), case .text("")? = before["device.tzdef"],
            wanted["device.tzdef"] != before["device.tzdef"]
        else { return false }
        return wanted.taking(["tzdef", "is_managed"], from: before).isSame(as: before)
    }
}

extension [UInt8] {
    /// Clients keep the passkey and send it back; the radio asks for none over its own port, so that any will do.
    fileprivate var withPasskey: [UInt8] {
        self + [0xAA, 0x06, 8] + (0..<8).map { _ in UInt8.random(in: .min ... .max) }
    }
}
