import Log
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Store

/// The domain: it owns the store and the radios, and is what the REST API and the command line talk to.
public final class Gateway: Sendable {
    public let store: Store
    /// Channels that the gateway reads without the radio.
    public let channelDatabase: ChannelDatabase
    /// What happens, as it happens.
    public let events = Events()
    let radios = Radios()
    private let clockWatch: ClockWatch?

    /// A link to a radio.
    public struct Device {
        /// Its setting, by which its source is found again while no radio is there. No two are the same.
        public var name: String
        /// Makes the link, given whom it has to tell.
        public var makeLink: (any RadioLinkDelegate) -> RadioLink

        public init(name: String, makeLink: @escaping (any RadioLinkDelegate) -> RadioLink) {
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
        // A clock that is given is set by whoever gives it.
        clockWatch = clock == nil ? ClockWatch(store: store, radios: radios, logger: logger) : nil
        let clock = clock ?? { HostClock.milliseconds() }
        self.store = store
        let names = devices.map(\.name)
        let sources = try Self.sources(of: names, firstName: sourceName, at: clock(), in: store)
        channelDatabase = try ChannelDatabase(store: store, clock: clock)
        store.observe { [events] in events.tell($0, at: clock()) }
        for (device, source) in zip(devices, sources) {
            var logger = logger
            logger.fields["device"] = device.name
            let radio = AttachedRadio(
                at: device.name, of: radios, store: store, source: source, channelDatabase: channelDatabase,
                events: events, keyChange: keyChange, pace: pace, clock: clock, clockWatch: clockWatch,
                monotonic: monotonic ?? { MonotonicClock.nanoseconds() },
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
        makeLink: @escaping (any RadioLinkDelegate) -> RadioLink
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
            let oldest = try writer.sources().min { ($0.1.createdAt, $0.0.rawValue) < ($1.1.createdAt, $1.0.rawValue) }
            guard let (id, source) = oldest, source.name != name else { return }
            try writer.update(id) { $0.name = name }
        }
    }

    public func start() { for radio in radios.all { radio.start() } }

    /// Says goodbye to the radios, so that they keep what arrives meanwhile. The store stays open.
    public func stop() {
        for radio in radios.all { radio.stop() }
        channelDatabase.redecryption.stop()
    }

    /// Who feeds a source. For one that nobody feeds any will do: it is disconnected, and its history can be changed.
    func radio(at source: SourceID) -> AttachedRadio {
        clockWatch?.look()
        return radios.feeding(source) ?? radios.all[0]
    }

    /// How the radio of a source is doing; a source whose radio is not attached is disconnected. Takes a lock only.
    public func radio(of source: SourceID) -> RadioStatus { radio(at: source).status(of: source) }

    /// How each radio is doing, in the order of the devices. Takes locks only.
    public var radioStatuses: [RadioStatus] { radios.all.map(\.status) }

    /// Accepts a text for sending. When this returns, it is on disk.
    ///
    /// - Returns: one message a part, in order.
    public func send(_ text: OutgoingText, to source: SourceID) throws(SendRefusal) -> [Message] {
        try radio(at: source).send(text, to: source)
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
        try radio(at: source).resend(messageID: messageID, waits: waits, lifetime: lifetime, in: source)
    }

    /// Takes an own message back that the radio does not have yet. It stays in the list, as failed.
    public func cancel(messageID: String, in source: SourceID) throws(ResendRefusal) -> Message {
        try radio(at: source).cancel(messageID: messageID, in: source)
    }

    /// Asks a node for something. When this returns, the request is on disk; it goes out when its turn has come.
    ///
    /// - Parameter channel: 0 to 7; nil: the one on which the node is most likely to be reached.
    public func request(
        _ request: NodeRequest, of node: NodeNumber, channel: Int? = nil, in source: SourceID
    ) throws(RequestRefusal) -> AcceptedRequest {
        try radio(at: source).request(request, of: node, channel: channel, in: source)
    }

    /// Makes a node a favourite or an ignored one, or no longer. When this returns, it is on disk.
    ///
    /// - Parameter onRadio: the radio is told as well; when it is away, as soon as it is back.
    /// - Returns: false when there is no such node.
    public func set(
        _ mark: NodeMark, _ isSet: Bool, of node: NodeNumber, in source: SourceID, onRadio: Bool
    ) throws -> Bool {
        try radio(at: source).set(mark, isSet, of: node, in: source, onRadio: onRadio)
    }

    /// What is known of a node's key was looked at by a person. When this returns, the decision is on disk, and the radio
    /// is told as soon as it is there.
    ///
    /// - Returns: the node as it is now.
    public func decide(_ decision: KeyDecision, of node: NodeNumber, in source: SourceID) throws(KeyRefusal) -> Node {
        try radio(at: source).decide(decision, of: node, in: source)
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

/// How a radio is doing.
public struct RadioStatus: Sendable {
    /// The transport is up: the port is open, or the connection stands.
    public var isConnected: Bool
    /// The radio has told who it is since the transport came up.
    public var isResponsive: Bool
    public var link: LinkState
    /// Host milliseconds since when ``link`` holds.
    public var since: Int64
    /// What is wrong although the link works, such as an unset region.
    public var problems: [LinkState.Problem]
    public var myInfo: MyNodeInfo?
    public var firmwareVersion: String?
    public var lora: LoRaSettings?
    /// Nothing goes on the air: the transmitter is off and the radio does not send over the network instead.
    public var txDisabled: Bool
    /// Own packets that wait for the radio.
    public var queued: Int
    /// The setting of the link; nil: no link feeds the source.
    public var device: String?
    /// While it is connected: the path of its port, or its address.
    public var port: String?
    /// How the radio calls itself while it is connected.
    public var longName: String?

    public init(
        isConnected: Bool, isResponsive: Bool, link: LinkState, since: Int64, problems: [LinkState.Problem] = [],
        myInfo: MyNodeInfo? = nil,
        firmwareVersion: String? = nil, lora: LoRaSettings? = nil, txDisabled: Bool = false, queued: Int = 0,
        device: String? = nil, port: String? = nil, longName: String? = nil
    ) {
        self.isConnected = isConnected
        self.isResponsive = isResponsive
        self.link = link
        self.since = since
        self.problems = problems
        self.myInfo = myInfo
        self.firmwareVersion = firmwareVersion
        self.lora = lora
        self.txDisabled = txDisabled
        self.queued = queued
        self.device = device
        self.port = port
        self.longName = longName
    }
}

/// A text that a client wants to have sent.
public struct OutgoingText: Sendable {
    public enum Destination: Hashable, Sendable {
        /// A channel index, 0 to 7.
        case channel(Int)
        case node(NodeNumber)
    }

    /// One packet each, at most 200 bytes of UTF-8.
    public var parts: [String]
    public var destination: Destination
    /// Carried by the first part only.
    public var replyID: PacketID?
    public var isTapback: Bool
    /// Is accepted also while the radio is away, and goes out when it is back.
    public var waits: Bool
    /// Goes out only when its recipient is next heard.
    public var untilHeard: Bool
    /// Milliseconds after which it is no longer to be sent.
    public var lifetime: Int64

    /// A day.
    public static let standardLifetime: Int64 = 86_400_000

    public init(
        parts: [String], destination: Destination, replyID: PacketID? = nil, isTapback: Bool = false,
        waits: Bool = false, untilHeard: Bool = false, lifetime: Int64 = standardLifetime
    ) {
        self.parts = parts
        self.destination = destination
        self.replyID = replyID
        self.isTapback = isTapback
        self.waits = waits
        self.untilHeard = untilHeard
        self.lifetime = lifetime
    }
}

/// Why a text was not accepted.
public enum SendRefusal: Error, Equatable {
    case notConnected
    case transmitDisabled
    /// Another key than the known one was seen for the recipient, and nobody has decided yet which is the right one.
    case keyInDoubt(NodeNumber)
    /// It could not be written to disk; the text says why.
    case storage(String)
}
