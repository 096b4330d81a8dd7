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
    let clock: @Sendable () -> Int64
    let logger: Logger
    private let channelDatabase: ChannelDatabase
    let state: Mutex<State>
    private let link = Mutex<RadioLink?>(nil)

    struct State {
        /// The source that this radio feeds and its settings, as the writer thread last adopted them. Messages are
        /// written with these: a radio that has just been plugged in may not be the one that the source belongs to.
        var source: SourceID
        var snapshot: RadioSnapshot?

        var link = LinkState.searching(nil)
        var since: Int64
        /// What the radio at the link calls itself, adopted or not yet.
        var own: NodeNumber?
        var lora: LoRaSettings?
        var isResponsive = false
        /// Counts the radio's introductions and departures: an adoption that ends late must not speak for the next.
        var session = 0
        /// The radio at the link is the one that ``source`` and ``outbox`` belong to.
        var isAdopted = false

        var outbox: OutboxQueue
        var neighborRequests = NeighborRequests()
        var replays = KnownReplays()
        var lastPrune: Int64 = 0
    }

    init(
        store: Store, source: SourceID, channelDatabase: ChannelDatabase, pace: SendingPace,
        clock: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.store = store
        self.channelDatabase = channelDatabase
        self.clock = clock
        self.logger = logger
        state = Mutex(State(source: source, since: clock(), outbox: OutboxQueue(pace: pace)))
    }

    func use(_ link: RadioLink) { self.link.withLock { $0 = link } }
    func start() { link.withLock { $0 }?.start() }
    func stop() { link.withLock { $0 }?.stop() }
    func wake() { link.withLock { $0 }?.wake() }
    var linkStatistics: LinkStatistics? { link.withLock { $0 }?.statistics }

    func status(of source: SourceID) -> RadioStatus {
        let problems = link.withLock { $0 }?.problems ?? []
        return state.withLock { state in
            guard state.source == source else {
                return RadioStatus(isConnected: false, isResponsive: false, link: .searching(nil), since: state.since)
            }
            let isConnected = state.link == .live || state.link == .configuring
            let snapshot = isConnected ? state.snapshot : nil
            return RadioStatus(
                isConnected: isConnected, isResponsive: isConnected && state.isResponsive, link: state.link,
                since: state.since, problems: isConnected ? problems : [], myInfo: snapshot?.myInfo,
                firmwareVersion: snapshot?.metadata?.firmwareVersion,
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
            if new != .live, new != .configuring {
                state.isResponsive = false
                state.isAdopted = false
                state.session += 1
            }
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
            guard let own = state.withLock({ $0.own }) else { return }
            enqueue(.grouped) { try Ingest(own: own, now: now).apply(info, to: $0, in: $1) }
        case .queueStatus(let status) where status.packetID != 0: answered(status)
        case .clientNotification(let notification):
            logger.notice("the radio says: \(notification.message)")
            enqueue(.grouped) { try $0.insertNotification(notification, in: $1, at: now) }
        default: break
        }
    }

    private func received(_ packet: MeshPacket, at now: Int64) {
        let (own, isKnown) = state.withLock { state in
            (state.own, packet.isReplay && !state.replays.insert(packet))
        }
        guard let own, !isKnown else { return }
        let decrypted = channelDatabase.decrypt(packet, own: own)
        let packet = decrypted?.packet ?? packet
        let ingest = Ingest(own: own, now: now, decryptedWith: decrypted?.entry)
        let content = packet.decoded.map { PacketContent($0) }
        let message = ingest.message(in: packet, content)
        // We send nothing on those channels: no word there is about a packet of ours.
        let report = decrypted == nil ? DeliveryReport(packet, content, own: own) : nil
        let stored = packet.withoutSecrets
        enqueue(message == nil && report == nil ? .grouped : .immediate) { writer, source in
            try ingest.apply(stored, content, to: writer, in: source)
            if let message { try ingest.store(message, writer, source) }
            if let report { try writer.apply(report, in: source, at: now) }
        }
        if let report { settled(report.packetID) }
        pruneHourly(at: now)
    }

    /// From here on nobody knows whether the radio has it until it says so. Within two minutes the same packet can be
    /// given once more: the radio ignores an id that is among its last twenty (serial reference 3.2).
    private func handed(_ id: PacketID) {
        let (now, own) = (clock(), state.withLock { $0.own })
        enqueue(.grouped) { writer, source in
            // Once: the radio does not transmit again what it knows.
            for item in try writer.outbox(in: source) where item.packetID == id && item.attempts == 0 {
                var packet = item.packet.withoutSecrets
                packet.from = own ?? packet.from
                try writer.logPacket(packet, direction: .tx, in: source, at: now)
            }
            try writer.updateDelivery(of: id, in: source, at: now) { $0.raise(to: .handed) }
            try writer.updateOutbox(packetID: id, in: source) { item in
                item.state = .handed
                item.attempts += 1
                item.expiresAt = now + 120_000
            }
        }
    }

    private func answered(_ status: QueueStatus) {
        let (now, lora) = (clock(), state.withLock { $0.lora })
        enqueue(status.result == 0 ? .grouped : .immediate) { writer, source in
            try writer.apply(status, lora: lora, in: source, at: now)
        }
        settled(status.packetID)
    }

    /// The radio has answered for one of our packets, which can make room for the next.
    private func settled(_ id: PacketID) {
        let isWaiting = state.withLock { state in
            state.outbox.settled(id)
            return state.outbox.count > 0
        }
        if isWaiting { wake() }
    }

    /// Runs a change on the writer thread against the source that this link then feeds.
    private func enqueue(_ urgency: Store.Urgency, _ change: @escaping @Sendable (Writer, SourceID) throws -> Void) {
        store.enqueue(
            urgency, { [self] writer in try change(writer, state.withLock { $0.source }) },
            done: { [logger] result in
                if case .failure(let error) = result { logger.error("not stored: \(error)") }
            })
    }

    private func pruneHourly(at now: Int64) {
        let isDue = state.withLock { state in
            // A clock that was ahead comes back.
            guard abs(now - state.lastPrune) >= 3_600_000 else { return false }
            state.lastPrune = now
            return true
        }
        if isDue { store.enqueue(.grouped, { try $0.expire(at: now) }) }
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
