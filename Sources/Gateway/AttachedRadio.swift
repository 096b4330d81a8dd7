import Logging
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization

/// One radio link and the source that it feeds: passes what the link tells on to the store, and what the clients want
/// to say to the link.
///
/// Events come on the link's thread, ``send(_:to:)`` on a server's, changes run on the store's. The order of events is
/// the order of changes: the store keeps it.
final class AttachedRadio: RadioLinkDelegate {
    let store: Store
    /// Host milliseconds since 1970.
    private let clock: @Sendable () -> Int64
    private let logger: Logger
    private let state: Mutex<State>
    private let link = Mutex<RadioLink?>(nil)

    struct State {
        /// The source as the writer thread last adopted it.
        var source: SourceID
        var link = LinkState.searching(nil)
        var since: Int64
        var snapshot: RadioSnapshot?
        var isResponsive = false
        var outbox: OutboxQueue
        var replays = KnownReplays()
        var lastPrune: Int64 = 0
    }

    init(
        store: Store, source: SourceID, textInterval: MonotonicTime, clock: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.store = store
        self.clock = clock
        self.logger = logger
        state = Mutex(State(source: source, since: clock(), outbox: OutboxQueue(textInterval: textInterval)))
    }

    func use(_ link: RadioLink) { self.link.withLock { $0 = link } }
    func start() { link.withLock { $0 }?.start() }
    func stop() { link.withLock { $0 }?.stop() }
    var linkStatistics: LinkStatistics? { link.withLock { $0 }?.statistics }

    func status(of source: SourceID) -> RadioStatus {
        state.withLock { state in
            guard state.source == source else {
                return RadioStatus(isConnected: false, isResponsive: false, link: .searching(nil), since: state.since)
            }
            let isConnected = state.link == .live || state.link == .configuring
            let snapshot = isConnected ? state.snapshot : nil
            return RadioStatus(
                isConnected: isConnected, isResponsive: isConnected && state.isResponsive, link: state.link,
                since: state.since, myInfo: snapshot?.myInfo, firmwareVersion: snapshot?.metadata?.firmwareVersion,
                lora: snapshot?.lora, txDisabled: snapshot?.isTransmitDisabled ?? false, queued: state.outbox.count)
        }
    }

    // MARK: From the link

    func radioLink(_ event: RadioEvent) {
        switch event {
        case .state(let new): changeState(to: new)
        case .configured(let snapshot): configured(snapshot)
        case .received(let message, _): received(message)
        case .handed(let id): handed(id)
        case .debugText(let line): logger.trace("radio: \(line)")
        case .garbage(let count): logger.debug("\(count) bytes from the radio were neither frame nor text")
        case .rebooted(let reason): logger.notice("the radio has restarted: \(reason)")
        case .nodeNumberChanged(let old, let new):
            logger.notice("the radio's node number changed from \(old) to \(new)")
        case .problem(let problem): logger.warning("\(problem.advice)")
        }
    }

    private func changeState(to new: LinkState) {
        state.withLock { state in
            state.link = new
            state.since = clock()
            if new != .live, new != .configuring { state.isResponsive = false }
            if new != .live { state.outbox.sessionEnded() }
        }
        if let problem = new.problem {
            logger.warning("radio link \(new.name): \(problem.advice)")
        } else {
            logger.notice("radio link \(new.name)")
        }
    }

    private func received(_ message: FromRadio) {
        let now = clock()
        switch message {
        case .packet(let packet): received(packet, at: now)
        case .nodeInfo(let info):
            enqueue(.grouped, at: now) { try $0.apply(info, to: $1, in: $2) }
        case .queueStatus(let status) where status.packetID != 0: answered(status)
        case .clientNotification(let notification):
            logger.notice("the radio says: \(notification.message)")
            enqueue(.grouped, at: now) { try $1.insertNotification(notification, in: $2, at: $0.now) }
        default: break
        }
    }

    private func received(_ packet: MeshPacket, at now: Int64) {
        let (own, isKnown) = state.withLock { state in
            (state.snapshot?.myInfo.number, packet.isReplay && !state.replays.insert(packet))
        }
        guard let own, !isKnown else { return }
        let stored = packet.withoutSecrets
        enqueue(.grouped, at: now) { try $0.apply(stored, to: $1, in: $2) }
        if let message = Ingest(own: own, now: now).message(in: packet) {
            enqueue(.immediate, at: now) { _, writer, source in _ = try writer.insertMessage(message, in: source) }
        }
        if let data = packet.decoded, data.requestID != 0 { acknowledged(packet, data, own: own) }
        pruneHourly(at: now)
    }

    /// A routing report or an answer for one of our packets; ids that we never issued are the radio's own business.
    private func acknowledged(_ packet: MeshPacket, _ data: MeshData, own: NodeNumber) {
        let error: RoutingError
        switch PacketContent(data) {
        case .routing(.error(let reason)): error = reason
        case .routing, .admin: return
        // Any answer proves that the request arrived.
        default: error = .none
        }
        guard !Ingest(own: own, now: 0).isSpoofed(packet) else { return }
        state.withLock { $0.outbox.settled(data.requestID) }
        let now = clock()
        enqueue(.immediate, at: now) { _, writer, source in
            let updated = try writer.updateMessage(packetID: data.requestID, in: source, at: now) { message in
                guard
                    message.delivery?.routed(error, by: packet.from, own: own, destination: message.to) == true,
                    message.delivery?.state == .confirmed
                else { return }
                // Who acknowledged tells how the way back was (contract 3.6).
                message.relayNode = packet.relayNode
                message.rxSNR = packet.rxSNR.decimalDouble
                message.rxRSSI = packet.rxRSSI.map(Int.init)
            }
            guard let updated else { return }
            try writer.removeOutbox(packetID: data.requestID, in: source)
            if error.concernsKey, !updated.to.isBroadcast {
                try writer.updateNode(updated.to, in: source, at: now) { $0.keyMismatch = true }
            }
        }
        link.withLock { $0 }?.wake()
    }

    /// From here on nobody knows whether the radio has it until it says so. Within two minutes the same packet can be
    /// given once more: the radio ignores an id that is among its last twenty (serial reference 3.2).
    private func handed(_ id: PacketID) {
        updateOwn(id, .grouped) { $0.raise(to: .handed) }
        enqueue(.grouped, at: clock()) { ingest, writer, source in
            try writer.updateOutbox(packetID: id, in: source) { item in
                item.state = .handed
                item.attempts += 1
                item.expiresAt = ingest.now + 120_000
            }
        }
    }

    private func answered(_ status: QueueStatus) {
        let lora = state.withLock { state in
            state.outbox.settled(status.packetID)
            return state.snapshot?.lora
        }
        updateOwn(status.packetID, status.result == 0 ? .grouped : .immediate, isSettled: true) {
            $0.queued(result: status.result, lora: lora)
        }
    }

    private func updateOwn(
        _ id: PacketID, _ urgency: Store.Urgency, isSettled: Bool = false,
        _ change: @escaping @Sendable (inout Delivery) -> Void
    ) {
        enqueue(urgency, at: clock()) { ingest, writer, source in
            let message = try writer.updateMessage(packetID: id, in: source, at: ingest.now) { message in
                if var delivery = message.delivery {
                    change(&delivery)
                    message.delivery = delivery
                }
            }
            if isSettled, message != nil { try writer.removeOutbox(packetID: id, in: source) }
        }
    }

    /// Runs a change on the writer thread against the source that this link then feeds.
    private func enqueue(
        _ urgency: Store.Urgency, at now: Int64, _ change: @escaping @Sendable (Ingest, Writer, SourceID) throws -> Void
    ) {
        let own = state.withLock { $0.snapshot?.myInfo.number } ?? NodeNumber(0)
        store.enqueue(
            urgency,
            { [self] writer in try change(Ingest(own: own, now: now), writer, state.withLock { $0.source }) },
            done: { [logger] result in
                if case .failure(let error) = result { logger.error("not stored: \(error)") }
            })
    }

    private func pruneHourly(at now: Int64) {
        let isDue = state.withLock { state in
            guard now - state.lastPrune >= 3_600_000 else { return false }
            state.lastPrune = now
            return true
        }
        if isDue { store.enqueue(.grouped, { _ = try $0.prune(now: now) }) }
    }

    // MARK: The radio has identified itself

    private func configured(_ snapshot: RadioSnapshot) {
        let now = clock()
        let identities = Source.identities(
            deviceID: snapshot.myInfo.deviceID, usbSerial: snapshot.usbSerial, number: snapshot.myInfo.number)
        let uuid = randomUUID()
        state.withLock { state in
            state.snapshot = snapshot
            state.isResponsive = true
        }
        store.enqueue(
            .immediate,
            { [self] writer in
                let adopted = try adoptSource(
                    identities: identities, current: state.withLock { $0.source }, newUUID: uuid, at: now, writer
                ) { source in
                    source.nodeNumber = snapshot.myInfo.number
                    source.firmwareVersion = snapshot.metadata?.firmwareVersion ?? source.firmwareVersion
                    source.lora = snapshot.lora ?? source.lora
                }
                try writer.replaceChannels(snapshot.channels, in: adopted, at: now)
                try writer.updateNode(snapshot.myInfo.number, in: adopted, at: now) { node in
                    node.lastHeard = now / 1000
                    node.rebootCount = snapshot.myInfo.rebootCount
                    node.firmwareVersion = snapshot.metadata?.firmwareVersion
                }
                let unsent = try writer.outbox(in: adopted)
                state.withLock { state in
                    if state.source != adopted { state.outbox.removeAll() }
                    state.source = adopted
                    for item in unsent where item.mayBeSent(at: now) { state.outbox.append(item.packet) }
                }
                for item in unsent where !item.mayBeSent(at: now) {
                    try writer.removeOutbox(packetID: item.packetID, in: adopted)
                }
            },
            done: { [self] result in
                if case .failure(let error) = result { logger.error("the radio's settings were not stored: \(error)") }
                link.withLock { $0 }?.wake()
            })
    }

    // MARK: To the link

    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        state.withLock { state in
            switch state.outbox.next(at: now, queueFree: queueFree) {
            case .send(let packet): .send(packet)
            case .wait(let time): .wait(until: time)
            }
        }
    }

    func send(_ text: OutgoingText, to source: SourceID) throws(SendRefusal) -> [Message] {
        let ready = state.withLock { state in
            state.source == source && state.isResponsive && (state.link == .live || state.link == .configuring)
                ? state.snapshot : nil
        }
        guard let snapshot = ready else { throw .notConnected }
        guard !snapshot.isTransmitDisabled else { throw .transmitDisabled }
        let accepted: [(Message, MeshPacket)]
        do {
            accepted = try store.commit { [clock] writer in
                let packets = try text.packets(from: snapshot, writer, in: source)
                let now = clock()
                return try packets.enumerated().map { index, packet in
                    let message = Message(
                        ownText: text.parts[index], packet: packet, partsToCome: packets.count - 1 - index, at: now)
                    _ = try writer.insertMessage(message, in: source)
                    _ = try writer.insertOutbox(OutboxItem(packet: packet, createdAt: now), in: source)
                    guard let stored = try writer.message(packetID: packet.id, from: packet.from, in: source) else {
                        throw SendRefusal.storage("the message is not in the database")
                    }
                    return (stored, packet)
                }
            }
        } catch {
            throw .storage("\(error)")
        }
        state.withLock { state in
            guard state.source == source else { return }
            for (_, packet) in accepted { state.outbox.append(packet) }
        }
        link.withLock { $0 }?.wake()
        return accepted.map(\.0)
    }
}

extension RadioSnapshot {
    /// The transmitter is off, and the radio does not broadcast over UDP in its place (Config.NetworkConfig
    /// enabled_protocols, bit 0).
    var isTransmitDisabled: Bool { lora?.txEnabled == false && (networkProtocols ?? 0) & 1 == 0 }
}

extension MeshPacket {
    /// The packet as it may be stored: answers of the radio's admin module can hold its private key.
    var withoutSecrets: MeshPacket {
        guard var data = decoded, data.port == .admin else { return self }
        data.payload = Redaction.adminPayload(data.payload)
        var packet = self
        packet.payload = .decoded(data)
        return packet
    }
}
