import MeshModel
import MeshProtocol

// A recording answers as the radio did, but to another host. Three things differ between that host and the gateway:
//
//  1. It asks for its settings with another nonce, in two stages, and again when debug text has damaged an answer. Each
//     want_config gets the next recorded handshake under the gateway's nonce. Where the recorded host asked without a
//     reason that the gateway would have, the cable is pulled and plugged in again.
//  2. It sends its texts under other packet ids. The recorded host's texts go through the REST API at their place in the
//     recording, and every later word of the radio about them speaks of the ids that the gateway chose. What a client of
//     the gateway cannot send (admin packets, blank texts, more than 200 bytes) is left out, and what the radio says
//     about it names packets that the gateway does not know.
//  3. It may hold a text back, when the radio has no room for it. What the radio says about a text waits until the radio
//     has it.

/// The radio's side of a cable to a gateway. For one thread.
public protocol RadioSide: AnyObject {
    var isPlugged: Bool { get }
    /// Bytes that were given to the gateway.
    var written: UInt64 { get }
    func plug() throws
    func unplug() throws
    func write(_ bytes: [UInt8]) throws
    /// Takes the next message that the gateway has sent; waits for it, but not for ever.
    ///
    /// - Parameter what: for the failure.
    func next(_ what: String) throws -> ToRadio
    /// What has arrived so far; does not wait.
    func pending() -> [ToRadio]
}

/// What a replay needs of the gateway.
public protocol ReplayListener: AnyObject {
    /// Hands a text to the gateway's clients' side and gives the id of the packet that it will become; nil when the
    /// gateway does not take it.
    func post(_ packet: MeshPacket, replyingTo: PacketID?) throws -> PacketID?
    /// Waits until the gateway has taken in so many bytes, and done what they bring.
    func awaitRead(_ count: UInt64) throws
    /// What comes now was recorded then, in seconds since the recording began. All before it was taken in.
    func timeIs(_ seconds: Double) throws
}

/// A recorded text that was posted.
public struct Post: Sendable {
    public var recorded: MeshPacket
    /// What the gateway made of its id.
    public var id: PacketID
    /// The radio had told the recipient's key before.
    public var isKeyKnown: Bool
}

/// Plays a recording to a gateway.
public final class ReplayedRadio {
    private let recording: Recording
    private let port: any RadioSide
    private let listener: any ReplayListener

    /// From ids of the recorded host to ids of the gateway.
    public private(set) var ids: [PacketID: PacketID] = [:]
    public private(set) var posts: [Post] = []
    /// Nodes whose keys the radio has told.
    private var keys: Set<NodeNumber> = []
    /// The gateway's own packets as they reached the radio, in order.
    public private(set) var sent: [MeshPacket] = []
    private var wants: [UInt32] = []
    private var isLive = false
    private var places: UInt32 = 16
    private var heldBack: [(ids: [PacketID], bytes: [UInt8])] = []

    /// The radio has restarted since the last handshake.
    private var hasBooted = false
    /// Posted texts that the radio has not taken yet, as far as it was heard.
    private var unanswered: Set<PacketID> = []
    /// Seconds since the recording began.
    private var time = 0.0

    private var segments: [Recording.Segment] { recording.segments }

    public init(_ recording: Recording, at port: any RadioSide, to listener: any ReplayListener) {
        self.recording = recording
        self.port = port
        self.listener = listener
    }

    public func play() throws {
        var index = 0
        while index < segments.count {
            try timeIs(segments[index].askedAt)
            let nonce = try request(before: index)
            try timeIs(segments[index].answeredAt)
            index = try answer(nonce, with: index)
            try playLive(index)
            index += 1
        }
        try awaitPosted()
        try listener.awaitRead(port.written)
    }

    // MARK: Handshakes

    /// Waits for a want_config, after giving a reason for one where the gateway would have none.
    private func request(before index: Int) throws -> UInt32 {
        let before = segments[index].before
        let isDue = index > 0 && port.isPlugged && (segments[index - 1].boots || !wants.isEmpty)
        if !isDue {
            if port.isPlugged { try unplug() }
            try port.plug()
        }
        let nonce = try nextWant()
        guard !before.isEmpty else { return nonce }
        try port.write(before)
        // A radio that starts does not hear what is asked meanwhile.
        return Recording.boots(before) ? try nextWant() : nonce
    }

    /// Answers both stages until the gateway is live.
    ///
    /// - Returns: the segment whose live part comes now.
    private func answer(_ nonce: UInt32, with start: Int) throws -> Int {
        var index = start
        (isLive, hasBooted) = (false, false)
        guard var want = try answerSettings(nonce, with: &index) else { return index }
        if segments[index].nonce == ToRadio.configOnlyNonce, isNodesOnly(index + 1) {
            try playLive(index)
            index += 1
        }
        var isFirst = true
        while true {
            if isFirst, isNodesOnly(index) {
                try serve(index, as: want)
            } else {
                try serve(recording.nodes(upTo: index), as: want)
            }
            isFirst = false
            guard let next = try nextWantOrLive() else { return index }
            want = next
        }
    }

    /// Answers until the gateway asks for the nodes.
    ///
    /// - Returns: that request's nonce; nil when the gateway is live without.
    private func answerSettings(_ first: UInt32, with index: inout Int) throws -> UInt32? {
        var want = first
        var isFirst = true
        while want != ToRadio.nodesOnlyNonce {
            let canMoveOn = index + 1 < segments.count && !isNodesOnly(index + 1) && !segments[index].hasTexts
            if isNodesOnly(index) || (!isFirst && !canMoveOn) {
                try serve(recording.settings(upTo: index), as: want)
            } else {
                if !isFirst {
                    // Text has damaged that handshake: the next one, then.
                    try playLive(index)
                    index += 1
                }
                try serve(index, as: want)
            }
            isFirst = false
            guard let next = try nextWantOrLive() else { return nil }
            want = next
        }
        return want
    }

    private func isNodesOnly(_ index: Int) -> Bool {
        index < segments.count && segments[index].nonce == ToRadio.nodesOnlyNonce
    }

    /// The recorded handshake, byte for byte but for its nonce.
    private func serve(_ index: Int, as nonce: UInt32) throws {
        let handshake = segments[index].handshake
        let mark = StreamFrame.encode(FromRadio.configComplete(segments[index].nonce).encoded())
        for case .frame(let payload) in Piece.cut(handshake) { noteKey(in: payload) }
        try port.write(handshake.dropLast(mark.count) + StreamFrame.encode(FromRadio.configComplete(nonce).encoded()))
    }

    private func serve(_ payloads: [[UInt8]], as nonce: UInt32) throws {
        let frames = payloads + [FromRadio.configComplete(nonce).encoded()]
        try port.write(frames.flatMap { StreamFrame.encode($0) })
    }

    // MARK: Live

    private func playLive(_ index: Int) throws {
        for step in segments[index].live {
            switch step {
            case .bytes(let bytes): try play(bytes)
            case .text(let packet, let time):
                try timeIs(time)
                try send(packet)
            case .unplugged(let time):
                try timeIs(time)
                if index + 1 < segments.count, port.isPlugged { try unplug() }
            }
        }
    }

    private func timeIs(_ seconds: Double) throws {
        guard seconds > time else { return }
        try listener.awaitRead(port.written)
        time = seconds
        try listener.timeIs(seconds)
    }

    private func play(_ timed: TimedBytes) throws {
        if Recording.boots(timed.bytes) { hasBooted = true }
        var run: [UInt8] = []
        var end = 0
        for piece in Piece.cut(timed.bytes) {
            end += piece.bytes.count
            let pieceTime = timed.time(ofEnd: end)
            if pieceTime > time {
                try port.write(run)
                run = []
                try timeIs(pieceTime)
            }
            let next = try bytes(of: piece, after: &run)
            run += next
            if places > 2, !heldBack.isEmpty {
                try port.write(run)
                run = try playHeldBack()
            }
        }
        try port.write(run)
    }

    /// What the gateway gets of a piece now. What is about a text waits until the text was sent; what is before it, and
    /// says that the radio has room, does not.
    private func bytes(of piece: Piece, after run: inout [UInt8]) throws -> [UInt8] {
        guard case .frame(let payload) = piece else { return piece.bytes }
        noteKey(in: payload)
        let (renamed, named) = PacketIDs.replaced(inFromRadio: payload) { ids[$0] }
        let bytes = StreamFrame.encode(renamed.count <= StreamFrame.maximumLength ? renamed : payload)
        var isStatus = false
        if case .queueStatus(let status)? = payload.withUnsafeBytes({ FromRadio(decoding: $0) }) {
            isStatus = true
            unanswered.subtract(named)
            if named.isEmpty || isSent(named) { places = status.free }
        }
        guard !isSent(named) else { return bytes }
        try port.write(run)
        run = []
        if isStatus, places <= 2 {
            heldBack.append((named, bytes))
            return []
        }
        try awaitSent(named)
        return bytes
    }

    private func noteKey(in payload: [UInt8]) {
        switch payload.withUnsafeBytes({ FromRadio(decoding: $0) }) {
        case .nodeInfo(let info) where info.user?.publicKey != nil: keys.insert(info.number)
        case .packet(let packet):
            guard let data = packet.decoded, case .nodeInfo(let user) = PacketContent(data), user.publicKey != nil
            else { return }
            keys.insert(packet.from)
        default: break
        }
    }

    private func playHeldBack() throws -> [UInt8] {
        defer { heldBack = [] }
        for held in heldBack { try awaitSent(held.ids) }
        return heldBack.flatMap(\.bytes)
    }

    private func send(_ packet: MeshPacket) throws {
        guard packet.canBePosted, let data = packet.decoded else { return }
        // The gateway must know what the radio has told so far: whose keys there are.
        try listener.awaitRead(port.written)
        let id = try listener.post(
            packet, replyingTo: data.replyID == 0 ? nil : ids[data.replyID] ?? data.replyID)
        guard let id else { return }
        ids[packet.id] = id
        posts.append(Post(recorded: packet, id: id, isKeyKnown: keys.contains(packet.to)))
        // While the radio has room the text goes out now, not at whatever comes next. The gateway lets no more out when
        // the radio has not said that it has taken the two before, and none while the radio restarts.
        if places > 2, unanswered.count < 2, !hasBooted { try? awaitSent([id]) }
        unanswered.insert(id)
    }

    private func unplug() throws {
        try awaitPosted()
        try listener.awaitRead(port.written)
        for message in port.pending() { note(message) }
        try port.unplug()
        wants = []
        unanswered = []
    }

    // MARK: What the gateway says

    private func isSent(_ ids: [PacketID]) -> Bool {
        for message in port.pending() { note(message) }
        return ids.allSatisfy { id in !posts.contains { $0.id == id } || sent.contains { $0.id == id } }
    }

    private func awaitSent(_ ids: [PacketID]) throws {
        while !isSent(ids) { note(try port.next("the texts that were posted")) }
    }

    private func awaitPosted() throws { try awaitSent(posts.map(\.id)) }

    private func nextWant() throws -> UInt32 {
        while wants.isEmpty { note(try port.next("want_config")) }
        return wants.removeFirst()
    }

    /// Nil when the gateway is live: then it sets the radio's clock.
    private func nextWantOrLive() throws -> UInt32? {
        while wants.isEmpty, !isLive { note(try port.next("want_config or the time")) }
        return wants.isEmpty ? nil : wants.removeFirst()
    }

    private func note(_ message: ToRadio) {
        switch message {
        case .wantConfig(let nonce): wants.append(nonce)
        case .packet(let packet) where packet.decoded?.port == .admin: isLive = true
        case .packet(let packet): sent.append(packet)
        case .heartbeat, .disconnect, .other, .empty: break
        }
    }
}
