import ControlAPI
import Glibc
import HTTPServer
import MeshModel
import MeshProtocol
import RadioLink
import RestAPI
import Routes
import Store

/// What a radio sends, through framer, codec, session and domain to the database.
///
/// The first byte says what the others are:
///
///     0  bytes of the port, the session is live     2  the payload of one frame
///     1  the same, in the midst of a handshake      3  port, circumstances, content of one packet
///
/// in its two lowest bits; the next one, whether the radio has just been given a text of ours to send; the one after it, whether
/// an hour goes by and the cable is pulled; and the highest four, which page is asked for afterwards, if any.
final class FrameToStore: FuzzTarget {
    /// Inputs for one database; how it is with the next one must not depend on all that there ever were.
    private static let inputs = 2_000

    private let folder: String
    private var used = 0
    private var gateway: FuzzedGateway
    private static let name = "frames.db"

    init(folder: String) throws {
        self.folder = folder
        gateway = try FuzzedGateway(path: "\(folder)/\(Self.name)")
    }

    deinit { gateway.stop() }

    func run(_ input: [UInt8]) throws {
        guard let kind = input.first else { return }
        try renew()
        var session = gateway.session
        if kind & 3 == 1 {
            session = FuzzedGateway.newSession()
            session.begin(at: 0)
        }
        if kind & 4 != 0 { gateway.sendText() }
        let bytes = input[1...]
        switch kind & 3 {
        case 2: hear(StreamFrame.encode(Array(bytes.prefix(StreamFrame.maximumLength))), &session)
        case 3:
            guard let packet = packet(bytes) else { return }
            hear(StreamFrame.encode(FromRadio.packet(packet).encoded()), &session)
        default: hear(Array(bytes), &session)
        }
        if kind & 8 != 0 {
            session.expire(at: 3600 * 1_000_000_000)
            session.end(isCut: true)
        }
        gateway.tell(session.drain())
        try gateway.settle()
        let health = gateway.store.health
        try check(health.failedChanges == gateway.refusals && health.lastError == nil, "it was not stored: \(health)")
        if kind & 3 == 2 { try show(ControlAPI.explanation(of: Array(bytes), preset: nil), "the explanation") }
        try show(page: Int(kind >> 4))
    }

    // MARK: What people are shown of it

    private static let pages = [
        "/local/packets?limit=1", "/local/packets/77", "/local/links", "/local/nodes?limit=1",
        "/local/messages?limit=1",
        "/local/nodes/!a11ce001", "/local/channels", "/local/telemetry/!a11ce001", "/api/v1/packets?limit=1",
        "/api/v1/telemetry?limit=1", "/api/v1/messages?limit=1", "/api/v1/nodes/!a11ce001",
    ]

    private func show(page: Int) throws {
        guard Self.pages.indices.contains(page) else { return }
        let own = Peer.local(user: geteuid(), group: getegid(), process: 1)
        try show(gateway.api.respond(Request(target: Self.pages[page], peer: own)).awaited(), Self.pages[page])
    }

    private func show(_ response: Response, _ name: String) throws {
        let body = try wholeBody(response.body)
        try check(
            response.status < 500 && JSONText.isValid(body),
            "\(name): \(String(decoding: body, as: UTF8.self))")
    }

    private func hear(_ bytes: [UInt8], _ session: inout RadioSession) {
        var decoder = StreamDecoder { FromRadio(decoding: $0) }
        var outputs: [StreamDecoder<FromRadio>.Output] = []
        bytes.withUnsafeBytes { decoder.feed($0, now: 0) { outputs.append($0) } }
        decoder.reset { outputs.append($0) }
        for output in outputs {
            switch output {
            case .frame(let message, let raw): session.receive(message, raw: raw, at: 0)
            case .text(let line, _):
                session.receive(text: line, at: 0)
                gateway.delegate.radioLink(.debugText(line))
            case .garbage(let count): gateway.delegate.radioLink(.garbage(count))
            }
            gateway.tell(session.drain())
        }
    }

    /// A packet of the mesh whose content is the input's, so that no length in it has to be right.
    private func packet(_ input: ArraySlice<UInt8>) -> MeshPacket? {
        guard input.count >= 2 else { return nil }
        let circumstances = input[input.startIndex + 1]
        let content = Array(input.dropFirst(2).prefix(233))
        let senders = [FuzzedGateway.peer, NodeNumber(0xB0B0_0002), FuzzedGateway.own, NodeNumber(2)]
        let data = MeshData(
            port: PortNumber(rawValue: UInt32(input.first!)), payload: content, wantResponse: circumstances & 4 != 0,
            requestID: circumstances & 8 != 0 ? gateway.lastSent : 0, replyID: circumstances & 16 != 0 ? 78 : 0)
        return MeshPacket(
            from: senders[Int(circumstances & 3)], to: circumstances & 32 != 0 ? FuzzedGateway.own : .broadcast,
            id: circumstances & 128 != 0 ? 77 : UInt32(content.count) + 1000,
            payload: .decoded(data), rxTime: UInt32(FuzzedGateway.now / 1000), rxSNR: 5, rxRSSI: -90, hopLimit: 3,
            hopStart: 3, viaMQTT: circumstances & 64 != 0)
    }

    private func renew() throws {
        used += 1
        guard used > Self.inputs else { return }
        used = 0
        gateway.stop()
        for ending in ["", "-wal", "-shm", ".lock"] { unlink("\(folder)/\(Self.name)\(ending)") }
        gateway = try FuzzedGateway(path: "\(folder)/\(Self.name)")
    }
}
