import Glibc
import MeshModel
import MeshProtocol
import Platform

/// The simulated radio without its lines: what it knows, what is under way on its mesh, and what it says to a host.
/// It does no input or output and reads the clock once; the same calls at the same times give the same frames.
struct Radio {
    enum Event {
        /// A packet of the host has left the transmit queue.
        case sent(MeshPacket)
        /// A packet, or the radio's own word about one, reaches the host's queue.
        case arrival(MeshPacket)
        case roomInQueue
        case chatter
        case ownTelemetry
        case ownPosition
        case reboot
        case shutdown
        /// Of ``Misbehaviour``, what has its time.
        case fault
        case logLine
        case booted
    }

    static let queueCapacity = 16

    let options: SimulatorOptions
    private(set) var misbehaviour: Misbehaviour
    var settings: RadioSettings
    var channels: [Channel]
    var number: NodeNumber
    let deviceID: [UInt8]
    var user: User
    let macAddress: [UInt8]
    var position: Position
    /// As hosts wrote them, fields included that the codec does not know.
    var writtenChannels: [Int: [UInt8]] = [:]
    var clientData = ClientData()
    var backup: Backup?
    var passkey: (bytes: [UInt8], since: Double)?

    var nodes: [SimulatedNode]
    var indices: [NodeNumber: Int]
    var api = PhoneAPI()
    var agenda = Agenda<Event>()
    var chatter: Chatter
    private var noise: LineNoise
    private(set) var rebootCount: UInt32 = 1
    /// How often it has made itself a new key.
    var keyCount: UInt32 = 0
    private var bootedAt = 0.0
    private var isBooting = false
    /// Shut down by an order: only a reboot from outside, or its plug, brings it back.
    var isOff = false
    /// What the next restart forgets.
    var factoryReset: FactoryReset?
    private var handshakesStarted = 0
    private var stalledUntil = 0.0
    /// Text that every serial line shows.
    private var bootText: [UInt8] = []
    /// So long 2.7 goes on serving a network client that is gone.
    private var deadClientUntil = -Double.infinity
    /// A reboot cuts network connections.
    var dropsConnections = false
    /// Seconds since 1970 at simulated moment 0, by the radio's clock.
    private var epochAtStart: Double?
    /// The moment of the current step, simulated seconds since power on.
    private(set) var now = 0.0

    /// Packets of the host in the transmit queue, and when the air is free again.
    var queued = 0
    var airFreeAt = 0.0
    /// Those that the host wants a word about and has not had one, for as long as one may come.
    var unconfirmed: [PacketID: (packet: MeshPacket, until: Double)] = [:]
    var refusesNext: Bool
    /// The host is changing several settings at once.
    var edit: Edit?
    var queueIsFull = false
    /// The latest packets from the host, oldest first.
    private(set) var received: [MeshPacket] = []
    private static let receivedCapacity = 4096
    private(set) var packetsFromHost = 0

    init(_ options: SimulatorOptions) {
        precondition(options.nodes >= 0 && options.faultInterval >= 2 && options.timeScale > 0)
        precondition(options.channels.allSatisfy { (0..<8).contains($0.index) })
        self.options = options
        misbehaviour = options.misbehaviour
        channels = options.channels
        var population = Population(seed: options.seed, firmware: options.firmware)
        let publicKey = population.key()
        macAddress = population.macAddress()
        number = population.number(publicKey: publicKey, macAddress: macAddress)
        settings = RadioSettings(
            firmware: options.firmware, region: options.misbehaviour.contains(.regionUnset) ? 0 : options.region,
            publicKey: publicKey, privateKey: population.bytes(32))
        deviceID = population.bytes(16)
        user = User(
            id: number.id, longName: "Simulated radio 📻", shortName: "SIM",
            macAddress: options.firmware != .v2_7 ? [UInt8](repeating: 0, count: 6) : macAddress, hardwareModel: 43,
            publicKey: publicKey, isUnmessagable: false)
        position = Position(
            latitudeI: Int32(Population.town.latitude * 1e7), longitudeI: Int32(Population.town.longitude * 1e7),
            altitude: 574, locationSource: 1, precisionBits: 32)
        nodes = population.nodes(options.nodes)
        indices = Dictionary(uniqueKeysWithValues: zip(nodes.map(\.number), nodes.indices))
        chatter = Chatter(seed: options.seed)
        noise = LineNoise(options)
        refusesNext = options.misbehaviour.contains(.fullQueue)
        if options.hasClock {
            setClock(UInt32(truncatingIfNeeded: WallClock.seconds()))
        }
        if options.firmware != .v2_7 { datePositions() }
        if options.chatter > 0, options.nodes > 0 { scheduleChatter(after: 0) }
        scheduleOwnTelemetry()
        scheduleFirstFaults()
        if options.isFresh { becomeFresh(withoutKeys: true) }
    }

    // MARK: Time

    /// The radio's clock runs in real time, whatever the mesh's scale, so that it stays near the host's.
    func epoch(at moment: Double) -> UInt32? {
        epochAtStart.map { UInt32(max(0, $0 + (moment < 0 ? moment : moment / options.timeScale))) }
    }

    var uptime: Double { now - bootedAt }

    /// A position carries the time when it was found, which is what 2.8 replays it with.
    private mutating func datePositions() {
        for index in nodes.indices {
            let moment = epoch(at: nodes[index].lastHeard)
            nodes[index].position?.time = moment
        }
    }

    mutating func setClock(_ epoch: UInt32) { epochAtStart = Double(epoch) - now / options.timeScale }

    /// When something is to be done next, in simulated seconds.
    var deadline: Double? {
        var next = agenda.next
        if stalledUntil > now { next = min(next ?? stalledUntil, stalledUntil) }
        if !api.isClosed {
            let silence = api.lastContact + options.silenceLimit * options.timeScale
            next = min(next ?? silence, silence)
        }
        return next
    }

    mutating func advance(to moment: Double) {
        while let (time, event) = agenda.takeDue(at: moment) {
            now = max(now, time)
            happen(event)
        }
        now = max(now, moment)
        if !api.isClosed, now >= api.lastContact + options.silenceLimit * options.timeScale { api.close() }
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .sent(let packet): sent(packet)
        case .arrival(let packet):
            noteWord(packet)
            deliver(packet)
        case .roomInQueue:
            queueIsFull = false
            api.add(queueStatus(0, for: 0))
        case .chatter: chat()
        case .ownTelemetry: tellOwnTelemetry()
        case .ownPosition: tellPosition()
        case .reboot: restartAsOrdered()
        case .shutdown: shutDown()
        case .fault: strike()
        case .logLine:
            bootText += LineNoise.logLine(uptime: now - bootedAt)
            scheduleLogLine()
        case .booted: isBooting = false
        }
    }

    // MARK: Power

    mutating func adopt(_ faults: Misbehaviour) {
        // The first packet and the first handshake of a fault are struck by it.
        if faults.contains(.fullQueue) != misbehaviour.contains(.fullQueue) {
            refusesNext = faults.contains(.fullQueue)
        }
        if faults != misbehaviour { handshakesStarted = 0 }
        misbehaviour = faults
        noise.misbehaviour = faults
    }

    /// What was on its way to the mesh or to the host is gone; the node database and the clock are kept.
    mutating func reboot(silently: Bool) {
        let (line, handshakes) = (api.line, api.handshakes)
        api = PhoneAPI()
        (api.line, api.handshakes) = (line, handshakes)
        agenda.removeAll {
            switch $0 {
            case .sent, .arrival, .roomInQueue, .booted, .ownTelemetry, .ownPosition: true
            case .chatter, .reboot, .shutdown, .fault, .logLine: false
            }
        }
        (queued, airFreeAt, queueIsFull, stalledUntil) = (0, now, false, 0)
        (edit, unconfirmed, passkey, deadClientUntil) = (nil, [:], nil, -.infinity)
        rebootCount += 1
        bootedAt = now
        (isBooting, isOff) = (true, false)
        scheduleOwnTelemetry()
        dropsConnections = true
        agenda.add(.booted, at: now + 2)
        if !silently { bootText += LineNoise.boot(options.firmware) }
    }

    mutating func takeBootText() -> [UInt8] {
        defer { bootText = [] }
        return misbehaviour.contains(.silence) ? [] : bootText
    }

    // MARK: The host

    /// One frame from the host. What does not decode is dropped without a word.
    mutating func receive(_ frame: [UInt8], from line: PhoneAPI.Line) {
        guard !isBooting, !isDeaf, let message = frame.withUnsafeBytes({ ToRadio(decoding: $0) }) else { return }
        if api.line != line {
            api.close()
            api.line = line
        }
        api.lastContact = now
        switch message {
        case .wantConfig(let nonce): begin(nonce)
        case .disconnect: api.close()
        case .heartbeat(let nonce):
            if nonce == 1 { announce() } else { api.owesHeartbeat = true }
        case .packet where isLocked: break
        case .packet(let packet):
            if received.count == Self.receivedCapacity { received.removeFirst(Self.receivedCapacity / 2) }
            received.append(packet)
            packetsFromHost += 1
            hostSends(packet, frame: frame)
        case .other, .empty: break
        }
    }

    /// The network client is gone, or another takes its place. 2.7 does not notice that one went without a good-bye: it
    /// hands it every second packet until it would forget a silent host, as 2.7.26 was seen to do.
    mutating func lostClient(isReplaced: Bool) {
        let isMissed = options.firmware == .v2_7 && !isReplaced && api.line == .tcp && !api.isClosed
        deadClientUntil = isMissed ? now + options.silenceLimit * options.timeScale : -.infinity
        if api.line == .tcp { api.close() }
    }

    private mutating func begin(_ nonce: UInt32) {
        handshakesStarted += 1
        let isOdd = handshakesStarted % 2 == 1
        let completion = isOdd && misbehaviour.contains(.wrongNonce) ? nonce ^ 0x5555 : nonce
        api.replay = nonce == ToRadio.configOnlyNonce || isLocked ? [] : satelliteReplay()[...]
        var handshake = handshake(nonce: nonce, completingWith: completion)
        if isOdd, misbehaviour.contains(.cutHandshakes) { handshake.framesLeft = options.handshakeCut }
        api.phase = .handshake(handshake)
        if isLocked { api.lockdown = LockdownStatus(state: 2, reason: "") }
    }

    func queueStatus(_ result: Int32, for id: PacketID) -> QueueStatus {
        QueueStatus(
            result: result, free: UInt32(queueIsFull ? 0 : Self.queueCapacity - queued),
            capacity: UInt32(Self.queueCapacity), packetID: id)
    }

    /// The bytes of the next frame for the session's line; nil while there is nothing to say, or the line stalls.
    mutating func nextBytes() -> [UInt8]? {
        guard let line = api.line, now >= stalledUntil, !isDeaf, let payload = nextFrame() else { return nil }
        let (bytes, stalls) = noise.dress(payload, isSerial: line != .tcp, uptime: now - bootedAt)
        if stalls { stalledUntil = now + 20 }
        return bytes
    }

    private mutating func nextFrame() -> [UInt8]? {
        if api.owesHeartbeat {
            api.owesHeartbeat = false
            return FromRadio.queueStatus(queueStatus(0, for: 0)).encoded()
        }
        switch api.phase {
        case .closed: return nil
        case .live: return nextLiveFrame()
        case .handshake(var handshake):
            guard handshake.framesLeft > 0 else {
                api.close()
                return nil
            }
            handshake.framesLeft -= 1
            let frame = next(of: &handshake)
            guard frame == nil else {
                api.phase = .handshake(handshake)
                return frame
            }
            api.phase = .live
            api.handshakes += 1
            return nextLiveFrame()
        }
    }

    private mutating func nextLiveFrame() -> [UInt8]? {
        api.nextLive(
            reorders: misbehaviour.contains(.reorderedStatuses), withholds: misbehaviour.contains(.withheldPackets),
            sharesWithTheDead: deadClientUntil > now)?
            .encoded()
    }
}
