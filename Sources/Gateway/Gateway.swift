import Log
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Store
import Synchronization

/// The domain: it owns the store and the radios, and is what the REST API and the command line talk to.
public final class Gateway: Sendable {
    public let store: Store
    /// What is wrong with the gateway itself.
    public let problems: Problems
    /// Channels that the gateway reads without the radio.
    public let channelDatabase: ChannelDatabase
    /// What happens, as it happens.
    public let events: LiveEvents
    /// The link's states and problems among them: so few that the last ones are kept for days.
    public let conditions: LiveEvents
    let radios = Radios()
    let packets = CountedPackets()
    let frameListeners = FrameListeners()
    let changeListeners = ChangeListeners()
    let changeReaders = ChangeReaders()
    /// Host milliseconds.
    let clock: @Sendable () -> Int64
    /// Nanoseconds that nobody sets.
    let monotonic: @Sendable () -> MonotonicTime
    private let startedAt: Int64
    /// The service runs, and says so in what happened.
    private let isService = Atomic(false)
    private let clockWatch: ClockWatch?

    /// A link to a radio.
    public struct Device {
        /// Its setting, by which its source is found again while no radio is there. No two are the same.
        public var name: String
        /// Makes the link, given its delegate: one to a radio, or to something else that has packets of a mesh.
        public var makeLink: (any RadioLinkDelegate) -> any RadioConnection

        public init(name: String, makeLink: @escaping (any RadioLinkDelegate) -> any RadioConnection) {
            self.name = name
            self.makeLink = makeLink
        }
    }

    /// - Parameters:
    ///   - sourceName: how the source is called that a first start creates.
    ///   - keyChange: what becomes of a direct message to a node whose key is in doubt.
    ///   - pace: how long packets are held apart; a radio drops what comes too soon.
    ///   - clock: host milliseconds since 1970; nil: the system's.
    ///   - monotonic: nanoseconds that nobody sets; nil: the system's.
    ///   - devices: one at least.
    public init(
        store: Store, sourceName: String = "Default", keyChange: KeyChangePolicy = .refuse, pace: SendingPace = .radio,
        clock: (@Sendable () -> Int64)? = nil, monotonic: (@Sendable () -> MonotonicTime)? = nil, logger: Logger,
        devices: [Device]
    ) throws {
        precondition(!devices.isEmpty, "a gateway without a radio")
        // The caller sets the clock that it gives.
        clockWatch = clock == nil ? ClockWatch(store: store, radios: radios, logger: logger) : nil
        let clock = clock ?? { WallClock.milliseconds() }
        let monotonic = monotonic ?? { MonotonicClock.nanoseconds() }
        startedAt = clock()
        (self.clock, self.monotonic) = (clock, monotonic)
        self.store = store
        problems = Problems(store)
        conditions = LiveEvents(capacity: 64, after: (try? store.readCommitted { try $0.newestCondition() }) ?? 0)
        let outboxes = Outboxes(pace: pace)
        events = LiveEvents(rare: ([.link, .problem, .solved], conditions))
        let names = devices.map(\.name)
        let sources = try Self.sources(of: names, firstName: sourceName, at: clock(), in: store)
        channelDatabase = try ChannelDatabase(store: store, clock: clock)
        store.observe { [events, changeListeners, changeReaders] changes in
            events.tell(changes, at: clock())
            changeReaders.passed(changes)
            changeListeners.tell(changes)
        }
        store.observeTopics { [changeListeners] topics in changeListeners.tell(topics) }
        for (device, source) in zip(devices, sources) {
            var logger = logger
            logger.fields["device"] = device.name
            let radio = AttachedRadio(
                at: device.name, of: radios, store: store, source: source, channelDatabase: channelDatabase,
                packets: packets, outboxes: outboxes, events: events, frames: frameListeners, keyChange: keyChange,
                clock: clock,
                clockWatch: clockWatch,
                monotonic: monotonic,
                logger: logger)
            radio.use(device.makeLink(radio))
            radios.add(radio)
        }
    }

    /// While the disk cannot be written, links feed what they fed last; those that have fed nothing yet cannot be served.
    private static func sources(
        of devices: [String], firstName: String, at now: Int64, in store: Store
    ) throws -> [SourceID] {
        let assign = { @Sendable (writer: Writer) in
            try assignSources(to: devices, firstName: firstName, at: now, writer)
        }
        do {
            return try store.commit(assign)
        } catch {
            let known = store.health.failingSince == nil ? [] : try store.read { try $0.sources() }
            let sources = devices.compactMap { device in known.first { $0.1.device == device }?.0 }
            guard sources.count == devices.count else { throw error }
            // It finds the same, and disables what no link feeds any more.
            store.enqueue(.immediate, { _ = try assign($0) })
            return sources
        }
    }

    /// With one radio.
    public convenience init(
        store: Store, sourceName: String = "Default", keyChange: KeyChangePolicy = .refuse, pace: SendingPace = .radio,
        clock: (@Sendable () -> Int64)? = nil, monotonic: (@Sendable () -> MonotonicTime)? = nil, logger: Logger,
        makeLink: @escaping (any RadioLinkDelegate) -> any RadioConnection
    ) throws {
        try self.init(
            store: store, sourceName: sourceName, keyChange: keyChange, pace: pace, clock: clock, monotonic: monotonic,
            logger: logger, devices: [Device(name: "auto", makeLink: makeLink)])
    }

    /// From now on this becomes of a direct message to a node whose key is in doubt.
    public func apply(_ keyChange: KeyChangePolicy) {
        for radio in radios.all { radio.keyChange.withLock { $0 = keyChange } }
    }

    /// Gives the oldest source another name. When this returns, it is on disk.
    public func nameFirstSource(_ name: String) throws {
        try store.commit { writer in
            guard let (id, source) = try writer.sources().first, source.name != name else { return }
            try writer.update(id) { $0.name = name }
        }
    }

    /// - Parameter isService: it is no command that has a gateway of its own for a moment: its start and end are rows of what
    ///   happened.
    public func start(isService: Bool = false) {
        self.isService.store(isService, ordering: .relaxed)
        if isService { note(.started) }
        for radio in radios.all { radio.start() }
    }

    /// Says goodbye to the radios, so that they keep what arrives meanwhile. The store stays open.
    public func stop() {
        for radio in radios.all { radio.stop() }
        changeReaders.storePlaces()
        if isService.exchange(false, ordering: .relaxed) { note(.stopped) }
        channelDatabase.redecryption.stop()
    }

    private func note(_ kind: Happening.Kind) {
        let happening = Happening(kind, at: clock())
        store.enqueue(.grouped, { try $0.insert(happening) })
    }

    /// Who feeds a source; nil: nobody does.
    func radioFeeding(_ source: SourceID) -> AttachedRadio? {
        clockWatch?.look()
        return radios.feeding(source)
    }

    /// Who changes the rows of a source. While nobody feeds it, that is nobody's radio: any link knows how.
    func keeper(of source: SourceID) -> AttachedRadio { radioFeeding(source) ?? radios.all[0] }

    /// How the radio of a source is doing; a source whose radio is not attached is disconnected. Takes a lock only.
    public func status(of source: SourceID) -> RadioStatus {
        radioFeeding(source)?.status(of: source)
            ?? RadioStatus(isConnected: false, isResponsive: false, link: .searching(nil), since: startedAt)
    }

    /// How each radio is doing, in the order of the devices. Takes locks only.
    public var radioStatuses: [RadioStatus] { radios.all.map(\.status) }

    /// Accepts a text for sending. When this returns, it is on disk.
    ///
    /// - Parameter sender: is kept with the messages, and takes turns with others.
    /// - Returns: one message a part, in order.
    public func send(
        _ text: OutgoingText, by sender: Sender, to source: SourceID
    ) throws(SendRefusal) -> [Message] {
        try checkLength(of: text)
        guard let radio = radioFeeding(source), text.waits || radio.takesPackets(of: source) else {
            throw .notConnected
        }
        let accepted = try radio.stored { [self] writer in
            try writer.accept(text, by: sender, to: source, of: self)
        }
        queue(accepted)
        return accepted.messages
    }

    /// The same of a text with an id of its client's, which is sent once.
    ///
    /// - Returns: the client's answer. For a key that is known it is that of the first time, and its digest says of which text.
    public func send(
        _ text: OutgoingText, by sender: Sender, to source: SourceID, once: SendOnce
    ) throws(SendRefusal) -> AcceptedSend {
        try checkLength(of: text)
        // What was accepted is known without a radio, too.
        return try keeper(of: source).send(text, by: sender, to: source, once: once)
    }

    func checkLength(of text: OutgoingText) throws(SendRefusal) {
        guard text.parts.count <= (text.port == .alert ? 1 : MessageSplitter.maximumParts) else {
            throw .tooLong(parts: text.parts.count)
        }
    }

    /// Sends an own message once more, as a new packet. When this returns, it is on disk.
    ///
    /// - Parameters:
    ///   - messageID: in any form that ``Reader/message(id:in:)`` takes.
    ///   - waits: also while the radio is away.
    ///   - lifetime: milliseconds after which it is no longer to be sent.
    public func resend(
        messageID: String, waits: Bool = false, lifetime: Int64 = OutgoingText.standardLifetime, in source: SourceID
    ) throws(ResendRefusal) -> Message {
        try keeper(of: source).resend(messageID: messageID, waits: waits, lifetime: lifetime, in: source)
    }

    /// Takes an own message back that the radio does not have yet. It stays in the list, as failed.
    public func cancel(messageID: String, in source: SourceID) throws(ResendRefusal) -> Message {
        try keeper(of: source).cancel(messageID: messageID, in: source)
    }

    /// Asks a node for something. When this returns, the request is on disk; it goes out when its turn has come.
    ///
    /// - Parameters:
    ///   - channel: 0 to 7; nil: the one on which the node is most likely to be reached.
    ///   - lifetime: milliseconds after which it is no longer to be sent.
    public func request(
        _ request: NodeRequest, of node: NodeNumber, channel: Int? = nil,
        lifetime: Int64 = NodeRequest.standardLifetime, in source: SourceID
    ) throws(RequestRefusal) -> AcceptedRequest {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        return try radio.request(.request(request), of: node, channel: channel, lifetime: lifetime, in: source)
    }

    /// Tells where the radio is, as exactly as the channel shares it. When this returns, the packet is on disk.
    ///
    /// - Parameters:
    ///   - node: ``NodeNumber/broadcast`` for everybody.
    ///   - channel: 0 to 7; nil: the one on which the node was heard, else the primary one.
    ///   - lifetime: milliseconds after which it is no longer to be sent.
    public func sendPosition(
        to node: NodeNumber, channel: Int? = nil, lifetime: Int64 = NodeRequest.standardLifetime, in source: SourceID
    ) throws(RequestRefusal) -> AcceptedRequest {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        return try radio.request(.ownPosition, of: node, channel: channel, lifetime: lifetime, in: source)
    }

    /// Makes a node a favourite or an ignored one, or no longer. When this returns, it is on disk.
    ///
    /// - Parameter onRadio: the radio is told as well; when it is away, as soon as it is back.
    /// - Returns: false when there is no such node.
    public func set(
        _ mark: NodeMark, _ isSet: Bool, of node: NodeNumber, in source: SourceID, onRadio: Bool
    ) throws -> Bool {
        try keeper(of: source).set(mark, isSet, of: node, in: source, onRadio: onRadio)
    }

    /// What is known of a node's key was looked at by a person. When this returns, the decision is on disk, and the radio
    /// is told as soon as it is there.
    ///
    /// - Parameters:
    ///   - announced: the other key that is meant, when one has to be; nil: whichever was seen last, or none.
    ///   - sender: who decided.
    public func decide(
        _ decision: KeyDecision, of node: NodeNumber, besides announced: PublicKey? = nil, by sender: Sender,
        in source: SourceID
    ) throws(KeyRefusal) -> DecidedKey {
        try keeper(of: source).decide(decision, of: node, besides: announced, by: sender, in: source)
    }

    /// Bytes, frames and reconnections of each link since its start, in the order of the devices.
    public var linkStatistics: [LinkStatistics] { radios.all.compactMap(\.linkStatistics) }

    /// The same of the link that feeds a source; nil: none does.
    public func linkStatistics(of source: SourceID) -> LinkStatistics? { radios.feeding(source)?.linkStatistics }

    /// The same since the link got live last.
    public func linkStatisticsSinceLive(of source: SourceID) -> LinkStatistics? {
        radios.feeding(source)?.linkStatisticsSinceLive
    }

    /// What the radio of a source has told last about itself, also while it is away; nil before it has told anything.
    public func snapshot(of source: SourceID) -> RadioSnapshot? { radios.feeding(source)?.snapshot }
}
