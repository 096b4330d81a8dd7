import Gateway
import MeshModel
import MeshProtocol
import Platform
import Store

/// One connection. It belongs to the share's thread.
final class ShareClient {
    enum Phase {
        /// It has asked for nothing yet, or there is no handshake to give: it hears nothing.
        case silent
        case handshake(HandshakeStream)
        case live
    }

    /// Why it has come to its end.
    enum End: String {
        case left, tooSlow = "does not read", stalled = "has stopped reading", mute = "says nothing"
        case displaced = "makes room for another address", notAdmitted = "may not be here any more"
        case settingsChanged = "is disconnected, because the settings have changed"
    }

    let id: UInt64
    let descriptor: Int32
    let address: String
    /// Its own end of the connection.
    let peerPort: UInt16
    /// The place of its port in the list of ports.
    let port: Int
    let right: ClientRight
    /// It is disconnected when the settings have changed.
    let closes: Bool
    let sender: Sender
    /// As `status` names it: with its program, if that is on this computer and we may know it. To ask costs a walk through /proc.
    lazy var name = ShareClient.name(address, port: peerPort, connectedTo: ShareSocket.port(of: descriptor))
    /// Wall milliseconds.
    let since: Int64
    var radio: SharedRadio

    var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
    var output = ClientOutput()
    var phase = Phase.silent
    /// Handshakes that it wants, in the order in which it has asked.
    var wanted: [UInt32] = []
    /// Answers that wait for the end of a handshake.
    var deferred: [UInt8] = []
    var shown: ShownSettings?
    /// Of the settings that it was given last.
    var digest: [UInt8]?
    /// The settings have changed; tell the client after its handshake.
    var pendingRebooted = false
    var packets = SentPackets()
    /// It leaves ids to the radio, so that it is not known by them.
    var leavesIDs = false
    /// Answers that are due to it.
    var pending = 0
    var sent: UInt64 = 0
    var refusals: UInt64 = 0

    /// Monotonic nanoseconds.
    var lastSaid: UInt64
    var lastTaken: UInt64
    var hasSpoken = false
    /// It will send no more: what it waits for is given until then.
    var leavesBy: UInt64?
    var end: End?
    /// It is to be disconnected when it has been told what is due to it.
    var mustLeave = false
    /// Until then its orders are waited for.
    var mustLeaveBy: UInt64?

    init(
        id: UInt64, descriptor: Int32, address: String, port: Int, right: ClientRight, closes: Bool = false,
        sender: Sender, since: Int64, radio: SharedRadio, now: UInt64
    ) {
        (self.id, self.descriptor, self.address, self.port) = (id, descriptor, address, port)
        peerPort = ShareSocket.peerPort(of: descriptor)
        (self.right, self.closes, self.sender, self.since, self.radio) = (right, closes, sender, since, radio)
        (lastSaid, lastTaken) = (now, now)
    }

    private static func name(_ address: String, port: UInt16, connectedTo own: UInt16) -> String {
        guard address.hasPrefix("127.") || address == "::1",
            let program = SocketOwner.program(withPort: port, connectedTo: own)
        else { return address }
        return "\(address) (\(program.filter { $0.isASCII && $0 >= " " && $0 != "\u{7F}" }))"
    }

    /// As refusals name it.
    var refused: RefusedClient { RefusedClient(sender: sender, name: name, right: right, port: port) }

    /// Apps are shown that they may not change settings.
    var isManaged: Bool { right < .admin }

    /// A client that has closed its sending side holds no place, although its answers may still be under way.
    var holdsSeat: Bool { leavesBy == nil && end == nil }

    /// It has asked for a handshake, and there is none yet that it could be given.
    var isWaiting: Bool { !isStreaming && !wanted.isEmpty }
    var isStreaming: Bool { if case .handshake = phase { true } else { false } }
    var isLive: Bool { if case .live = phase { true } else { false } }

    // MARK: What it is told

    /// A frame that answers the client, or its beat: never inside a handshake, but after it.
    func answer(_ payload: [UInt8]) {
        guard payload.count <= StreamFrame.maximumLength, end == nil else { return }
        // An answer may come after a client has asked for a handshake, and before that begins: it waits, too.
        if isStreaming || !isLive && !wanted.isEmpty && radio.handshake != nil {
            deferred += StreamFrame.encode(payload)
            if deferred.count > 16 << 10 { end = .tooSlow }
        } else {
            output.append(payload)
        }
    }

    /// A frame at once, wherever the client is.
    func tellAtOnce(_ payload: [UInt8]) { output.append(payload) }

    /// Frames of what goes on.
    func tell(framed: [UInt8]) { if isLive, end == nil { output.append(framed: framed) } }

    /// Puts as much of the handshake into the output as the client has room for, and what comes behind.
    func fill() {
        while output.count < 8 << 10, case .handshake(var stream) = phase {
            // Two owners of the stream would copy it.
            phase = .silent
            if let frames = stream.next() {
                output.append(framed: frames)
                phase = .handshake(stream)
            } else {
                finishHandshake()
            }
        }
    }

    private func finishHandshake() {
        phase = .live
        output.append(framed: deferred)
        deferred = []
        if pendingRebooted, wanted.isEmpty { tellSettingsChanged() }
        begin()
    }

    /// It is live: it asks again, or comes again.
    func tellSettingsChanged() {
        pendingRebooted = false
        if closes { mustLeave = true } else { tellAtOnce(FromRadio.rebooted.encoded()) }
    }

    /// A handshake is wanted.
    func want(_ nonce: UInt32) {
        // A client that floods gets them in turn, and the newest at last.
        if wanted.count >= 8 { wanted.removeFirst() }
        wanted.append(nonce)
    }

    /// Begins the next handshake that is wanted, if there is one to give.
    func begin() { start?(self) }
    var start: ((ShareClient) -> Void)?
}
