import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization

// What goes on at a radio, frame by frame, for those who hand it on to programs that take the gateway for the radio.
//
// 1. It is told on the link's thread, before anything of it is stored: it waits for no commit, and for no listener.
// 2. Each listener has a queue of its own. One who does not read loses the newest frames and is told how many.
// 3. An own text that goes out again is a new packet with a new id, but one message: it is shown once, as it was sent first,
//    and what is said about a later packet names the first. A refusal after which it is sent again is not shown.
// 4. What another node says to who administers it through the radio (ADMIN) comes whole, with its session passkey, and in
//    the bytes alone: it is for clients who may administer other nodes, and for no others.

/// One frame of a radio, or one that it was given. No description shows its bytes.
public struct RadioFrame: Sendable, CustomStringConvertible, CustomReflectable {
    public enum Kind: CaseIterable, Sendable { case packet, own, notification, mqttProxy, handshake, other }

    public enum Value: Sendable {
        /// The radio handed on a packet.
        case packet(MeshPacket)
        /// The radio was given a packet of ours, and who had it sent; nil: the gateway itself.
        case own(MeshPacket, by: Sender?)
        case notification(ClientNotification)
        /// What the radio has for a broker (mqttClientProxyMessage).
        case mqttProxy
        /// There is a new handshake, of this generation. The frame has no bytes.
        case handshake(UInt64)
        /// A variant that the gateway does not know, or only passes on, by its field number.
        case other(UInt32)
    }

    /// The payload of a FromRadio frame, without the radio's secrets, but with another node's passkey; private keys are in
    /// none.
    public let raw: [UInt8]
    public let value: Value

    public var description: String { "a frame of the kind \(kind)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    public var kind: Kind {
        switch value {
        case .packet: .packet
        case .own: .own
        case .notification: .notification
        case .mqttProxy: .mqttProxy
        case .handshake: .handshake
        case .other: .other
        }
    }
}

/// Takes the frames of a radio, for as long as it is kept.
public final class FrameListener: Sendable {
    private struct State {
        var frames: [RadioFrame] = []
        var missed: UInt64 = 0
    }

    let source: SourceID
    private let kinds: Set<RadioFrame.Kind>
    private let capacity: Int
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())
    private let registry: FrameListeners

    fileprivate init(
        _ registry: FrameListeners, of source: SourceID, kinds: Set<RadioFrame.Kind>, capacity: Int,
        wake: @escaping @Sendable () -> Void
    ) {
        self.registry = registry
        self.source = source
        self.kinds = kinds
        self.capacity = capacity
        self.wake = wake
    }

    deinit { registry.remove(ObjectIdentifier(self)) }

    /// Takes what has come, oldest first.
    ///
    /// - Returns: `missed` frames were lost after these, because the queue was full.
    public func take(upTo limit: Int = .max) -> (frames: [RadioFrame], missed: UInt64) {
        state.withLock { state in
            let frames = Array(state.frames.prefix(limit))
            state.frames.removeFirst(frames.count)
            guard state.frames.isEmpty else { return (frames, 0) }
            defer { state.missed = 0 }
            return (frames, state.missed)
        }
    }

    fileprivate func tell(_ frame: RadioFrame) {
        guard kinds.contains(frame.kind) else { return }
        let isFirst = state.withLock { state in
            guard state.frames.count < capacity else {
                state.missed += 1
                return false
            }
            state.frames.append(frame)
            return state.frames.count == 1
        }
        if isFirst { wake() }
    }
}

/// Who listens to which source.
final class FrameListeners: Sendable {
    private struct Reference: Sendable { weak let listener: FrameListener? }

    private let list = Mutex<[ObjectIdentifier: Reference]>([:])
    private let count = Atomic<Int>(0)

    /// Nobody makes a frame that nobody takes.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func add(
        to source: SourceID, kinds: Set<RadioFrame.Kind>, capacity: Int, wake: @escaping @Sendable () -> Void
    ) -> FrameListener {
        let listener = FrameListener(self, of: source, kinds: kinds, capacity: capacity, wake: wake)
        list.withLock { $0[ObjectIdentifier(listener)] = Reference(listener: listener) }
        count.add(1, ordering: .relaxed)
        return listener
    }

    fileprivate func remove(_ id: ObjectIdentifier) {
        if list.withLock({ $0.removeValue(forKey: id) }) != nil { count.subtract(1, ordering: .relaxed) }
    }

    func tell(_ frame: @autoclosure () -> RadioFrame?, of source: SourceID?) {
        guard !isEmpty, let source else { return }
        let listeners = list.withLock { $0.values.compactMap(\.listener) }.filter { $0.source == source }
        guard !listeners.isEmpty, let frame = frame() else { return }
        for listener in listeners { listener.tell(frame) }
    }
}

extension Gateway {
    /// The frames of a source's radio from now on.
    ///
    /// - Parameters:
    ///   - capacity: frames that wait to be taken; later ones are lost, and counted.
    ///   - wake: called when there is something to take and there was nothing before. On the link's thread: must return
    ///     at once.
    public func frames(
        of source: SourceID, kinds: Set<RadioFrame.Kind> = Set(RadioFrame.Kind.allCases), capacity: Int = 256,
        wake: @escaping @Sendable () -> Void
    ) -> FrameListener {
        frameListeners.add(to: source, kinds: kinds, capacity: capacity, wake: wake)
    }
}

extension AttachedRadio {
    /// What the radio has just said.
    func tellFrame(_ message: FromRadio, raw: [UInt8]) {
        guard !frames.isEmpty else { return }
        switch message {
        case .packet(let packet):
            let now = monotonic()
            let (attempts, isForGateway) = state.withLock { state in
                (state.attempts, state.isForGateway(packet, at: now))
            }
            guard !isForGateway else { return }
            frames.tell(Self.frame(packet, raw, attempts, isTakenUp: willBeSentAgain), of: sourceFed)
        case .clientNotification(let notification):
            frames.tell(RadioFrame(raw: raw, value: .notification(notification)), of: sourceFed)
        case .other(variant: 14): frames.tell(RadioFrame(raw: raw, value: .mqttProxy), of: sourceFed)
        // A handshake is told as a whole, and what the radio says to whoever is connected is its host's business.
        case .nodeInfo, .queueStatus, .rebooted, .logRecord, .lockdownStatus, .myInfo, .config, .moduleConfig, .channel,
            .configComplete, .metadata:
            break
        case .other, .empty:
            // A variant of a later firmware has a number that this program's schema lacks.
            let variant = raw.first.map { UInt32($0 >> 3) } ?? 0
            frames.tell(RadioFrame(raw: raw, value: .other(variant)), of: sourceFed)
        }
    }

    private static func frame(
        _ packet: MeshPacket, _ raw: [UInt8], _ attempts: SentAgain,
        isTakenUp: (MeshPacket, PacketID, RoutingError) -> Bool
    ) -> RadioFrame? {
        if let data = packet.decoded, data.requestID != 0, case .routing(.error(let error)) = PacketContent(data),
            error != .none, isTakenUp(packet, data.requestID, error)
        {
            return nil
        }
        guard let requestID = packet.decoded?.requestID, let first = attempts.first(of: requestID) else {
            return RadioFrame(raw: raw, value: .packet(packet))
        }
        let named = PacketIDs.replaced(inFromRadio: raw) { $0 == requestID ? first : nil }.payload
        guard case .packet(let packet) = named.withUnsafeBytes({ FromRadio(decoding: $0) }) else { return nil }
        return RadioFrame(raw: named, value: .packet(packet))
    }

    /// A text is sent again by itself after this refusal. Anybody can write one that names it: only those count that are
    /// the radio's own or the recipient's (DeliveryReports).
    private func willBeSentAgain(_ refusal: MeshPacket, _ id: PacketID, after error: RoutingError) -> Bool {
        state.withLock { state in
            guard let own = state.own, !refusal.isSpoofed(own: own),
                let entry = state.outbox.entries.first(where: { $0.packet.id == id }), entry.packet.port.isText
            else { return false }
            let isOfRadio = refusal.from == own
            guard isOfRadio || refusal.from == entry.packet.to else { return false }
            return AutomaticResend.delay(
                after: error, byRadio: isOfRadio, saysKeyIsOld: !isOfRadio && entry.packet.pkiEncrypted,
                resends: entry.resends) != nil
        }
    }

    /// The radio was given this packet for the first time.
    func tellOwn(_ entry: OutboxQueue.Entry, from own: NodeNumber?, at now: Int64) {
        guard !entry.mayHaveLeft, state.withLock({ $0.attempts.first(of: entry.packet.id) }) == nil else { return }
        let rxTime = UInt32(clamping: now / 1000)
        frames.tell(Self.frame(entry, from: own, rxTime: rxTime), of: sourceFed)
    }

    private static func frame(_ entry: OutboxQueue.Entry, from own: NodeNumber?, rxTime: UInt32) -> RadioFrame? {
        var packet = entry.packet
        packet.from = own ?? packet.from
        packet.rxTime = rxTime
        // What administers a node is between two.
        guard packet.port != .admin else { return nil }
        let raw = entry.volatile.map { $0.echo(rxTime: rxTime) } ?? FromRadio.packet(packet).encoded()
        return raw.map { RadioFrame(raw: $0, value: .own(packet, by: entry.sender)) }
    }
}

extension AttachedRadio.State {
    /// The radio's answer to what the gateway itself has asked it, such as to set its clock.
    fileprivate func isForGateway(_ packet: MeshPacket, at now: MonotonicTime) -> Bool {
        guard packet.from == own, packet.to == own, packet.rxRSSI == nil, let data = packet.decoded,
            data.port == .routing || data.port == .admin, data.requestID != 0
        else { return false }
        return !recentIDs.contains(data.requestID, at: now) && attempts.first(of: data.requestID) == nil
            && !outbox.entries.contains { $0.packet.id == data.requestID }
    }
}

/// Packets under which own messages went out again, and the first packet of each. The newest ones.
struct SentAgain: Sendable {
    private static let capacity = 256
    private var first: [PacketID: PacketID] = [:]
    private var order: [PacketID] = []

    func first(of id: PacketID) -> PacketID? { id == 0 ? nil : first[id] }

    mutating func note(_ id: PacketID, of first: PacketID) {
        if order.count >= Self.capacity { self.first[order.removeFirst()] = nil }
        order.append(id)
        self.first[id] = first
    }
}
