import Glibc
import MeshModel
import MeshProtocol
import Platform

/// A radio with a mesh behind it that speaks the serial API, on a thread of its own.
///
/// It can be reached over a socket pair, a pty and TCP, one host at a time: the session belongs to the line on which a
/// host spoke last. Everything may be called from any thread. A radio that was started keeps itself alive until
/// ``stop()``, which is final.
public final class SimulatedRadio: Sendable {
    struct State {
        var lines: RadioLines
        var thread: Thread?
        var isStopped = false
        var textIDs: SeededGenerator
    }

    private typealias Waiting = (descriptors: [pollfd], timeout: Int32)

    /// The number of the radio's own node.
    public var number: NodeNumber { state.withLock { $0.lines.radio.number } }
    public var publicKey: PublicKey { state.withLock { $0.lines.radio.settings.publicKey } }
    /// A secret that a test may look for where it must not be.
    public var privateKey: [UInt8] { state.withLock { copy($0.lines.radio.settings.privateKey) } }
    public let deviceID: [UInt8]
    /// Secrets too: the WiFi's and the MQTT broker's password in the handshake.
    public static let passwords = [RadioSettings.wifiPassword, RadioSettings.mqttPassword]
    /// And the PINs of Bluetooth and of the screen.
    public static let pins = [RadioSettings.bluetoothPIN, RadioSettings.screenPIN]

    private let state: Monitor<State>
    private let wakeEvent: WakeEvent

    /// Throws only when the process has no descriptors left.
    public init(_ options: SimulatorOptions = SimulatorOptions()) throws(SimulatorError) {
        let radio = Radio(options)
        deviceID = radio.deviceID
        guard let wakeEvent = WakeEvent() else { throw .system("eventfd", errno) }
        self.wakeEvent = wakeEvent
        state = Monitor(
            State(lines: RadioLines(radio: radio), textIDs: SeededGenerator(seed: options.seed, purpose: 5)))
    }

    deinit {
        state.withLock { $0.lines.unplug() }
    }

    // MARK: Running

    /// Starts the radio's time. To be called once.
    public func start() {
        state.withLock { state in
            precondition(state.thread == nil && !state.isStopped)
            state.lines.start()
            // The thread keeps the radio while it runs.
            state.thread = Thread { [self] in run() }
        }
    }

    /// Ends the thread and closes every line.
    public func stop() {
        let thread = state.withLock { state in
            state.isStopped = true
            defer { state.thread = nil }
            return state.thread
        }
        signal()
        thread?.join()
        state.notify { $0.lines.unplug() }
    }

    private func run() {
        while let (descriptors, timeout) = step() {
            var polled = [pollfd(fd: wakeEvent.descriptor, events: Int16(POLLIN), revents: 0)] + descriptors
            poll(&polled, nfds_t(polled.count), timeout)
        }
    }

    /// Does what can be done now; nil when the radio was stopped.
    private func step() -> Waiting? {
        wakeEvent.clear()
        return runStep()
    }

    @discardableResult
    private func runStep() -> Waiting? {
        let (waiting, hasHeard) = state.withLock { state in
            guard state.thread != nil, !state.isStopped else { return (nil as Waiting?, false) }
            let before = state.lines.radio.packetsFromHost
            let waiting = state.lines.step()
            return (waiting, state.lines.radio.packetsFromHost != before)
        }
        if hasHeard { state.notify { _ in } }
        return waiting
    }

    private func signal() { wakeEvent.signal() }

    // MARK: Lines

    /// A new serial cable. The descriptor is the host's end, blocking and the caller's to close; a cable that was
    /// there before reads as ended.
    public func connect() throws(SimulatorError) -> Int32 {
        try change { (state: inout State) throws(SimulatorError) in
            try state.lines.connect()
        }
    }

    /// Serves TCP on loopback, or on every address; 0 takes a free port. The newest client wins.
    /// - Returns: the port.
    @discardableResult
    public func listen(port: UInt16 = 0, everywhere: Bool = false) throws(SimulatorError) -> UInt16 {
        try change { (state: inout State) throws(SimulatorError) in
            try state.lines.listen(port: port, everywhere: everywhere)
        }
    }

    /// Opens a pty, in place of the one before, and points a symbolic link at it when one is asked for.
    /// - Returns: the path for the host to open.
    @discardableResult
    public func openPty(link: String? = nil) throws(SimulatorError) -> String {
        try change { (state: inout State) throws(SimulatorError) in
            try state.lines.openPty(link: link)
        }
    }

    /// Pulls the plug: every line is gone, the pty's link too, and the radio without power.
    public func unplug() { change { $0.lines.unplug() } }

    /// The radio boots, which takes two simulated seconds; TCP port and link are back, the pty's path may be another.
    public func replug() throws(SimulatorError) {
        try change { (state: inout State) throws(SimulatorError) in
            try state.lines.replug()
        }
    }

    /// Reboots now; silently means without a trace on a serial line.
    public func reboot(silently: Bool = false) { change { $0.lines.radio.reboot(silently: silently) } }

    /// From now on it misbehaves in exactly these ways; what otherwise happens after
    /// ``SimulatorOptions/rebootInterval`` happens at once. Faults that persons repair, such as a region that is not set,
    /// are repaired when they are not named.
    public func misbehave(_ faults: Misbehaviour) { change { $0.lines.radio.misbehave(faults) } }

    /// Changes something between two steps of a radio that is up to date, and lets it act on it before this returns.
    func change<R: Sendable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        runStep()
        let result = try state.withLock(body)
        runStep()
        signal()
        return result
    }

    // MARK: The mesh

    /// The other nodes, in the order of the cast: what the radio knows of them now, and what they are.
    public var nodes: [SimulatedNode] { state.withLock { copy($0.lines.radio.nodes) } }

    /// How often a host was given a whole handshake since the start.
    public var completedHandshakes: Int { state.withLock { $0.lines.radio.api.handshakes } }

    /// The radio hears this packet now and hands it to the host as it is.
    public func inject(_ packet: MeshPacket) { change { $0.lines.radio.api.add(packet) } }

    /// Somebody sends a text: to everybody on a channel, or to the radio itself, then under PKC when the node has a
    /// key. A number that is no node of the mesh is a stranger next door.
    /// - Returns: the packet's id.
    @discardableResult
    public func sendText(
        from sender: NodeNumber, _ text: String, to: NodeNumber = .broadcast, channel: UInt32 = 0,
        replyID: PacketID = 0, isReaction: Bool = false
    ) -> PacketID {
        change { state in
            let id = state.textIDs.packetID()
            let data = MeshData(
                port: .textMessage, payload: Array(text.utf8), replyID: replyID, emoji: isReaction ? 1 : 0,
                bitfield: 1)
            state.lines.radio.hear(data, from: sender, to: to, channel: channel, id: id)
            return id
        }
    }

    /// The store-and-forward server of the mesh repeats a text to this radio.
    ///
    /// - Parameters:
    ///   - sender: of the text; it may be the radio itself.
    ///   - original: the id of the packet that is repeated.
    ///   - isBroadcast: it went to everybody on the channel.
    public func repeatText(
        _ text: String, from sender: NodeNumber, original: PacketID, isBroadcast: Bool = true, channel: UInt32 = 0
    ) {
        change { state in
            let id = state.textIDs.packetID()
            state.lines.radio.hearRepeated(
                text, from: sender, original: original, isBroadcast: isBroadcast, channel: channel, id: id)
        }
    }

    /// A node of the mesh sends a text to everybody on ``SimulatorOptions/hiddenChannel``.
    /// - Returns: the packet's id.
    @discardableResult
    public func sendHiddenText(from sender: NodeNumber, _ text: String) -> PacketID {
        change { state in
            let id = state.textIDs.packetID()
            let data = MeshData(port: .textMessage, payload: Array(text.utf8), bitfield: 1)
            state.lines.radio.hearHidden(data, from: sender, id: id)
            return id
        }
    }

    /// The latest packets from the host, at most a thousand, oldest first; refused ones are among them.
    public var received: [MeshPacket] { state.withLock { copy($0.lines.radio.received) } }

    /// A buffer of its own, made under the lock. The array itself would share its buffer with the radio, whose thread
    /// changes it in place as soon as the caller has let go of it; that order rests on a reference count alone, which
    /// the thread sanitizer does not see.
    private func copy<Element>(_ elements: [Element]) -> [Element] { elements.map(\.self) }

    /// The first packet from the host, past or to come, that matches; nil after so many real seconds without one, or
    /// when the radio is stopped.
    public func waitForPacket(timeout: Double, where matches: (MeshPacket) -> Bool) -> MeshPacket? {
        let found: MeshPacket?? = state.wait(until: MonotonicClock.nanoseconds() + UInt64(timeout * 1e9)) { state, _ in
            if let packet = state.lines.radio.received.first(where: matches) { return .some(packet) }
            return state.isStopped ? .some(nil) : nil
        }
        return found ?? nil
    }
}
