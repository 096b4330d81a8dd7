import Log
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization

/// One radio link and the source that it feeds: passes what the link tells on to the store, and what the clients want
/// to say to the link.
///
/// Events come on the link's thread, ``send(_:by:to:)`` on a server's, changes run on the store's. The order of events is
/// the order of changes: the store keeps it.
final class AttachedRadio: RadioLinkDelegate {
    /// The link's setting, which tells it from the others.
    let device: String
    let store: Store
    /// Host milliseconds since 1970.
    let clock: @Sendable () -> Int64
    private let clockWatch: ClockWatch?
    /// Nanoseconds that nobody sets, the link's time.
    let monotonic: @Sendable () -> MonotonicTime
    let logger: Logger
    let keyChange: Mutex<KeyChangePolicy>
    let channelDatabase: ChannelDatabase
    private let events: LiveEvents
    /// What is at the link. Changed here and in the adoption alone; others read ``attachment``.
    let attached: OwnerLock<Attachment>
    let outboxes: Outboxes
    private let unstored = UnstoredChanges()
    private let link = Mutex<(any RadioConnection)?>(nil)
    let packets: CountedPackets
    let administration = RadioAdministration()
    let memory: RadioMemory
    let readings = Readings()
    /// Held while settings are changed, from reading them to writing them: two at a time would undo each other's work.
    let settingsChange = Mutex(())
    let settingsVersion = SettingsVersion()
    let frames: FrameListeners
    /// All of them, this one too.
    weak let radios: Radios?

    init(
        at device: String, of radios: Radios, store: Store, source: SourceID, channelDatabase: ChannelDatabase,
        packets: CountedPackets, outboxes: Outboxes, events: LiveEvents, frames: FrameListeners,
        keyChange: KeyChangePolicy, clock: @escaping @Sendable () -> Int64,
        clockWatch: ClockWatch?, monotonic: @escaping @Sendable () -> MonotonicTime, logger: Logger
    ) {
        self.device = device
        self.radios = radios
        self.store = store
        self.monotonic = monotonic
        self.channelDatabase = channelDatabase
        self.packets = packets
        self.outboxes = outboxes
        self.events = events
        self.frames = frames
        self.keyChange = Mutex(keyChange)
        self.clock = clock
        self.clockWatch = clockWatch
        self.logger = logger
        let session = AttachedSession(isOver: true)
        memory = RadioMemory(session)
        attached = OwnerLock(Attachment(outbox: outboxes.of(source), since: clock(), session: session))
    }

    func use(_ link: any RadioConnection) {
        self.link.withLock { $0 = link }
        link.keepHandshake(radios?.keepsHandshakes ?? false)
    }
    func start() {
        readOutbox()
        link.withLock { $0 }?.start()
    }
    func stop() { link.withLock { $0 }?.stop() }
    func ask(_ request: AdminRequest, completion: @escaping @Sendable (AdminOutcome) -> Void) {
        guard let link = link.withLock({ $0 }) else { return completion(.notConnected) }
        guard !request.isQuestion else { return link.ask(request, completion: completion) }
        settingsVersion.grow()
        link.ask(request) { [settingsVersion] outcome in
            settingsVersion.grow()
            completion(outcome)
        }
    }
    func keepLinksHandshake(_ keeps: Bool) { link.withLock { $0 }?.keepHandshake(keeps) }
    /// The frames of the last handshake, and what was missing in it.
    var linksHandshake: (frames: [[UInt8]], missing: [String])? {
        link.withLock { $0 }.map { ($0.lastHandshakeFrames, $0.snapshot?.missing ?? []) }
    }
    func readAgain() {
        attached.withLock { $0.readAgain() }
        link.withLock { $0 }?.readAgain()
    }
    func wake() { link.withLock { $0 }?.wake() }
    func leave(because problem: Problem) { link.withLock { $0 }?.leave(because: problem) }
    func comeBack() { link.withLock { $0 }?.comeBack() }
    var linkStatistics: LinkStatistics? { link.withLock { $0 }?.statistics }
    var linkStatisticsSinceLive: LinkStatistics? { link.withLock { $0 }?.statisticsSinceLive }
    var snapshot: RadioSnapshot? { link.withLock { $0 }?.snapshot }
    var portName: String? { link.withLock { $0 }?.portName }

    var attachment: Attachment { attached.withLock { $0 } }

    /// The parts of it that each packet asks for.
    var fed: (source: SourceID, own: NodeNumber?, outbox: SourceOutbox) {
        attached.withLock { ($0.source, $0.own, $0.outbox) }
    }
    /// Where the link takes packets from, and for whom.
    var giving: (outbox: SourceOutbox, session: AttachedSession) { attached.withLock { ($0.outbox, $0.session) } }

    func feeds(_ source: SourceID) -> Bool { attached.withLock { $0.source == source } }
    func takesPackets(of source: SourceID) -> Bool { attached.withLock { $0.takesPackets(of: source) } }

    /// The session in which the radio of this source is or was last; nil: the link feeds another one.
    func session(of source: SourceID) -> AttachedSession? {
        attached.withLock { $0.source == source ? $0.session : nil }
    }

    /// The host's clock was set by so many milliseconds.
    func clockWasSet(by change: Int64) { attached.withLock { $0.clockWasSet(by: change) } }

    func status(of source: SourceID) -> RadioStatus {
        let here = attachment
        guard here.source != source else { return status }
        return RadioStatus(isConnected: false, isResponsive: false, link: .searching(nil), since: here.since)
    }

    var status: RadioStatus {
        let link = link.withLock { $0 }
        let (problems, port, name) = (link?.problems ?? [], link?.portName, link?.snapshot?.ownNode?.user?.longName)
        let here = attachment
        let isConnected = here.link == .live || here.link == .configuring
        let snapshot = isConnected ? here.snapshot : nil
        return RadioStatus(
            isConnected: isConnected, isResponsive: isConnected && here.isResponsive, link: here.link,
            since: here.since, isRestarting: isRestarting, problems: isConnected ? problems : [],
            myInfo: snapshot?.myInfo,
            firmwareVersion: snapshot?.metadata?.firmwareVersion,
            lora: snapshot?.lora, allowedPresets: snapshot?.allowedPresets,
            txDisabled: snapshot?.isTransmitDisabled ?? false, queued: here.outbox.count,
            device: device, port: isConnected ? port : nil, longName: isConnected ? name : nil)
    }

    // MARK: From the link

    func radioLink(_ event: RadioEvent) {
        clockWatch?.look()
        switch event {
        case .state(let new): changeState(to: new)
        case .configured(let snapshot): configured(snapshot)
        case .received(let message, let raw): received(message, raw: raw)
        case .written(let id): written(id)
        case .debugText(let line):
            logger.trace("radio: \(line)")
            if events.wantsDebugText { tell(.debugText(line)) }
        case .garbage(let count): logger.debug("\(count) bytes from the radio were neither frame nor text")
        case .rebooted(let reason):
            let reason = administration.hasStarted(at: monotonic()) ? "it was told to (\(reason))" : reason
            logger.notice("the radio has restarted: \(reason)")
            tell(.restarted(reason))
        case .nodeNumberChanged(let old, let new):
            logger.notice("the radio's node number changed from \(old) to \(new)")
            tell(.notice("the radio's node number changed from \(old) to \(new)"))
        case .problem(let problem):
            logger.warning("\(problem.name): \(problem.advice)", fields: ["problem": problem.name])
            tell(.problem(problem))
        case .solved(let problem):
            logger.notice("\(problem.name): that is over", fields: ["problem": problem.name])
            tell(.solved(problem))
        }
    }

    /// Tells those who listen at once, and stores what counts as having happened, in its turn with the packets.
    ///
    /// - Parameter source: nil: the one that this link feeds now.
    func tell(_ what: Event.What, in source: SourceID? = nil) {
        let now = clock()
        let sequence = events.tell(what, from: source ?? fed.source, at: now)
        guard var happening = happening(what, at: now) else { return }
        happening.sequence = sequence
        enqueue(.grouped) { [happening] writer, source in
            var happening = happening
            happening.source = source
            try writer.insert(happening)
        }
    }

    private func changeState(to told: LinkState) {
        let new = explained(told)
        let (now, time) = (clock(), monotonic())
        // The gate first: nothing is taken for a radio, and nothing opens for it, that is about to be away. Then what is known
        // of its restart: who finds it away finds also why.
        if new != .live, new != .configuring { attached.withLock { $0.session }.end() }
        let here = attachment
        let unwritten = new == .live ? [] : here.outbox.end(here.session)
        administration.linkChanged(to: new, at: time)
        // Kept first: as soon as the link is live, clients are given this one.
        let handshake = new == .live ? keepHandshake() : nil
        let (source, hasDeparted) = attached.withLock { ($0.source, $0.linkChanged(to: new, at: now)) }
        // Before anything that takes time: what is shown of the link has its row.
        tell(.link(new), in: source)
        settingsVersion.grow()
        wakeOrders()
        noteUnwritten(unwritten, of: here.source)
        if hasDeparted { radios?.departed(from: self) }
        if let handshake { tellHandshake(handshake) }
        if let problem = new.problem {
            logger.warning(
                "radio link \(new.name): \(problem.advice)",
                fields: ["link": new.name, "problem": problem.name])
        } else {
            logger.notice("radio link \(new.name)", fields: ["link": new.name])
        }
    }

    /// A radio in the network closes the connection when it restarts, and also when it serves somebody else.
    private func explained(_ state: LinkState) -> LinkState {
        guard case .lost(let problem) = state, problem.kind == .connectionClosed, isRestartOrdered else {
            return state
        }
        return .lost(.restartOrdered)
    }

    private var isRestartOrdered: Bool { administration.isRestartOrdered(at: monotonic()) }

    /// The radio was told to restart in so many seconds, or does so by itself after a change of its settings.
    func restartWasOrdered(in seconds: Int) {
        // Clocks differ a little, and a slow board starts for half a minute.
        let (now, seconds) = (monotonic(), MonotonicTime(max(0, seconds)))
        let (early, late) = (seconds - min(seconds, 10), seconds + 60)
        administration.orderRestart(within: now + early * 1_000_000_000...now + late * 1_000_000_000)
    }

    /// The source that this link feeds; nil: its radio is another link's. For the writer thread.
    var sourceFed: SourceID? { attached.withLock { $0.holder == nil ? $0.source : nil } }

    /// Runs a change on the writer thread against the source that this link then feeds, unless its radio is another
    /// link's.
    func enqueue(
        _ urgency: Store.Urgency, _ watch: KeyWatch? = nil, delayed: (@Sendable () -> Void)? = nil,
        _ change: @escaping @Sendable (Writer, SourceID) throws -> Void
    ) {
        store.enqueue(
            urgency,
            { [self] writer in
                guard let source = sourceFed else { return }
                try change(writer, source)
            }, delayed: delayed,
            done: { [self] result in
                guard isStored(result) else { return }
                if let watch { tell(watch) }
            })
    }

    /// Whether a change was stored; what is to be said of those that were not goes to the log.
    func isStored(_ result: Result<Void, any Error>) -> Bool {
        switch result {
        case .success:
            if let line = unstored.stored(at: monotonic()) { logger.error("\(line)") }
            return true
        case .failure(let error):
            if let line = unstored.lost("\(error)", at: monotonic()) { logger.error("\(line)") }
            return false
        }
    }
}

extension RadioSnapshot {
    /// The transmitter is off, and the radio does not broadcast over UDP in its place (Config.NetworkConfig
    /// enabled_protocols, bit 0).
    var isTransmitDisabled: Bool { lora?.txEnabled == false && (networkProtocols ?? 0) & 1 == 0 }
}
