import Gateway
import HeldWriter
import Log
import MeshModel
import MeshProtocol
import RadioLink
import Store

@testable import Recordings

/// A replay as the command does it, but that nothing waits for the writer but the gateway itself, and that the writer is
/// held back.
final class HeldReplay: ReplayListener {
    let gateway: Gateway
    let store: Store
    let clock: @Sendable () -> Int64
    private let recording: Recording
    private let side: SocketSide
    private let time: VirtualTime
    /// The link and each other hold them weakly.
    private let held: HeldWriter
    private let timeless: TimelessGateway

    init(_ recording: Recording, into store: Store, holding hold: Hold) throws {
        self.recording = recording
        self.store = store
        let time = VirtualTime(startsAt: recording.startedAt ?? Replay.anyStart)
        self.time = time
        clock = { time.milliseconds }
        try store.commit { writer in
            let dice = Dice()
            writer.random = { dice.next() }
            _ = try writer.insert(
                Source(uuid: Replay.sourceUUID, name: "Recording", isEnabled: true, createdAt: time.milliseconds))
        }
        let (side, timeless, held) = (SocketSide(), TimelessGateway(), HeldWriter(hold))
        (self.side, self.timeless, self.held) = (side, timeless, held)
        gateway = try Gateway(
            store: store, pace: SendingPace(text: 0, traceroute: 0, request: 0), clock: clock,
            monotonic: { TimelessGateway.now }, logger: .silent
        ) { radio in
            timeless.use(radio)
            held.attach(timeless, store: store)
            let link = RadioLink(
                address: .connection(name: "recording"), connect: { try side.connect() }, tap: side,
                wallClock: { max(time.milliseconds, Replay.anyStart) / 1000 }, delegate: held)
            side.use(link)
            return link
        }
    }

    func run() throws {
        gateway.start()
        defer { gateway.stop() }
        try ReplayedRadio(recording, at: side, to: self).play()
        try timeIs(recording.duration)
        try store.commit { _ in }
    }

    func post(_ packet: MeshPacket, replyingTo: PacketID?) throws -> PacketID? {
        guard let text = packet.postedText, let data = packet.decoded else { return nil }
        guard let source = try store.read({ try $0.sources().first { $0.1.isEnabled } }) else { return nil }
        let outgoing = OutgoingText(
            parts: [text], destination: packet.to.isBroadcast ? .channel(Int(packet.channel)) : .node(packet.to),
            replyID: replyingTo, isTapback: data.emoji != 0 && replyingTo != nil)
        do {
            return try gateway.send(outgoing, by: .cli, to: source.0).first?.packetID
        } catch {
            if case .storage(let reason) = error { throw RecordingError.replay(reason) }
            return nil
        }
    }

    func awaitRead(_ count: UInt64) throws { try side.awaitTaken(count) }

    func timeIs(_ seconds: Double) throws { time.advance(toSeconds: seconds) }
}
