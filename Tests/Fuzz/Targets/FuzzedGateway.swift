import ControlAPI
import Gateway
import HTTPServer
import Log
import MeshModel
import MeshProtocol
import RadioLink
import RestAPI
import Routes
import Store
import Synchronization

/// A gateway on a database in memory, and a session with a radio that is live, both kept over many inputs.
///
/// No link runs: whoever has the gateway tells it what a link would tell.
final class FuzzedGateway {
    static let own = NodeNumber(0x1234_5678)
    static let peer = NodeNumber(0xA11C_E001)
    /// A moment in 2026, in milliseconds; it stands still.
    static let now: Int64 = 1_787_300_000_000

    let store: Store
    let gateway: Gateway
    let api: RestAPI
    let delegate: any RadioLinkDelegate
    /// Live; a copy of it takes what one input brings.
    let session: RadioSession
    let source: SourceID
    private var isDisturbed = false
    /// The last text of ours that the radio has.
    private(set) var lastSent: PacketID = 77
    private var isSentToPeer = false
    /// Changes that failed because a text was refused, to a node whose key is in doubt for one.
    private(set) var refusals = 0

    init(path: String) throws {
        store = try Store(path: path, retention: Retention())
        var told: (any RadioLinkDelegate)?
        gateway = try Gateway(
            store: store, pace: SendingPace(text: 0, traceroute: 0, request: 0), clock: { Self.now },
            logger: .silent,
            makeLink: { delegate in
                told = delegate
                return RadioLink(address: .path("/dev/null/none"), delegate: delegate)
            })
        delegate = told!
        var policy = ClientPolicy()
        policy.requestLimit = nil
        policy.messageLimit = nil
        api = RestAPI(Endpoints.all + ControlEndpoints.all, gateway: gateway, version: "1.2.3", policy: policy)
        session = try Self.liveSession()
        source = try store.read { try $0.sources() }[0].0
        // The same ids in each run.
        let ids = Atomic<UInt32>(1000)
        try store.commit { $0.random = { ids.add(1, ordering: .relaxed).newValue } }
        // Nobody would answer them.
        gateway.endQuestions()
        begin()
        try store.commit { _ in }
    }

    func stop() {
        gateway.stop()
        store.close()
    }

    /// The radio has just told everything about itself.
    private func begin() {
        delegate.radioLink(.state(.searching(nil)))
        delegate.radioLink(.state(.configuring))
        if let snapshot = session.snapshot { delegate.radioLink(.configured(snapshot)) }
        delegate.radioLink(.state(.live))
    }

    /// What the session tells goes where a link would bring it.
    func tell(_ outputs: [RadioSession.Output]) {
        for case .event(let event) in outputs {
            switch event {
            case .state, .configured: isDisturbed = true
            default: break
            }
            delegate.radioLink(event)
        }
    }

    /// Everything that was told is in the database; when the input's radio was another one or went away, the first is back.
    func settle() throws {
        if isDisturbed { begin() }
        isDisturbed = false
        try store.commit { _ in }
    }

    /// A text to everybody, or to a node, that the radio takes at once. The one before has come to its end: each new
    /// session looks at all that are on their way.
    func sendText() {
        if lastSent != 77 { delegate.radioLink(.received(.packet(acknowledgement), raw: [])) }
        isSentToPeer = !lastSent.isMultiple(of: 2)
        let destination = isSentToPeer ? OutgoingText.Destination.node(Self.peer) : .channel(0)
        do {
            _ = try gateway.send(OutgoingText(parts: ["on my way"], destination: destination), by: .cli, to: source)
        } catch {
            refusals = store.health.failedChanges
        }
        guard case .send(let packet) = delegate.nextPacket(at: 0, queueFree: 16) else { return }
        delegate.radioLink(.written(packet.id))
        lastSent = packet.id
    }

    private var acknowledgement: MeshPacket {
        MeshPacket(
            from: isSentToPeer ? Self.peer : Self.own, to: Self.own, id: lastSent + 1,
            payload: .decoded(MeshData(port: .routing, payload: [0x18, 0], requestID: lastSent)))
    }

    static func newSession() -> RadioSession {
        RadioSession(pace: .unlimited, wallClock: { now / 1000 }, random: { 4 })
    }

    private static func liveSession() throws -> RadioSession {
        var session = newSession()
        session.begin(at: 0)
        // It asks again for what is missing, three times in each of two stages, and then makes do with this.
        for _ in 0..<10 {
            for message in handshake { session.receive(message, raw: message.encoded(), at: 0) }
            let isLive = session.drain().contains { if case .event(.state(.live)) = $0 { true } else { false } }
            if isLive { return session }
        }
        throw Broken("the handshake does not come to an end")
    }

    private static let handshake: [FromRadio] = [
        .myInfo(MyNodeInfo(number: own, deviceID: [UInt8](repeating: 7, count: 16), nodeDBCount: 1)),
        .nodeInfo(
            NodeInfo(
                number: own,
                user: User(
                    id: own.id, longName: "Own", shortName: "OWN",
                    publicKey: PublicKey([UInt8](repeating: 9, count: 32))))),
        .metadata(DeviceMetadata(firmwareVersion: "2.7.26.54e0d8d")),
        .channel(Channel(index: 0, role: .primary, psk: [1])),
        .channel(Channel(index: 1, role: .secondary, name: "Hut", psk: [UInt8](repeating: 5, count: 16))),
        .configComplete(ToRadio.configOnlyNonce), .configComplete(ToRadio.nodesOnlyNonce),
    ]
}

/// Of a body that goes on for ever, what there is now.
func wholeBody(_ body: Response.Body) throws -> [UInt8] {
    var whole: [UInt8] = []
    switch body {
    case .empty: break
    case .bytes(let bytes): whole = bytes
    case .stream(_, let next): while let chunk = try next() { whole += chunk }
    case .live(let live):
        while case .bytes(let chunk) = try live.next(resume: {}) { whole += chunk }
        live.end()
    case .later: preconditionFailure("it was waited for")
    }
    return whole
}
