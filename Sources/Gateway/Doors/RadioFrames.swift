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
// 5. What the radio tells of itself is kept while somebody listens, for clients that ask it for the same (AnswersInPlace).

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
    private struct Reference: Sendable {
        weak let listener: FrameListener?
        let source: SourceID
    }

    private struct State {
        var list: [ObjectIdentifier: Reference] = [:]
        /// Of the radios that are listened to.
        var telemetry: [SourceID: OwnTelemetry] = [:]
    }

    private let state = Mutex(State())
    private let count = Atomic<Int>(0)

    /// Nobody makes a frame that nobody takes.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func add(
        to source: SourceID, kinds: Set<RadioFrame.Kind>, capacity: Int, wake: @escaping @Sendable () -> Void
    ) -> FrameListener {
        let listener = FrameListener(self, of: source, kinds: kinds, capacity: capacity, wake: wake)
        state.withLock { $0.list[ObjectIdentifier(listener)] = Reference(listener: listener, source: source) }
        count.add(1, ordering: .relaxed)
        return listener
    }

    fileprivate func remove(_ id: ObjectIdentifier) {
        let isRemoved = state.withLock { state in
            guard let source = state.list.removeValue(forKey: id)?.source else { return false }
            if !state.list.values.contains(where: { $0.source == source }) { state.telemetry[source] = nil }
            return true
        }
        if isRemoved { count.subtract(1, ordering: .relaxed) }
    }

    func tell(_ frame: @autoclosure () -> RadioFrame?, of source: SourceID?) {
        guard !isEmpty, let source else { return }
        let listeners = state.withLock { $0.list.values.compactMap(\.listener) }.filter { $0.source == source }
        guard !listeners.isEmpty, let frame = frame() else { return }
        for listener in listeners { listener.tell(frame) }
    }

    /// The radio says this of itself.
    func note(_ packet: MeshPacket, of source: SourceID?, at now: MonotonicTime) {
        guard let source else { return }
        state.withLock { state in
            guard state.list.values.contains(where: { $0.source == source }) else { return }
            state.telemetry[source, default: OwnTelemetry()].note(packet, at: now)
        }
    }

    /// The payload of what the radio with this number has said of itself lately; nil: nothing.
    func telemetry(
        _ kind: Telemetry.Kind, by radio: NodeNumber, in source: SourceID, at now: MonotonicTime
    ) -> [UInt8]? {
        state.withLock { $0.telemetry[source]?.payload(kind, by: radio, at: now) }
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
