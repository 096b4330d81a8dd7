import Foundation
import Gateway
import HTTPServer
import Log
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import RestAPI
import Routes
import Store

@testable import Recordings
@testable import StrictJSON

/// A gateway that has got all of a recording but the texts that the recorded host sent, and is still connected to its
/// radio.
final class AnsweringReplay: ReplayListener {
    static let uuid = "00000000-0000-4000-8000-000000000000"

    private let gateway: Gateway
    private let store: Store
    private let api: RestAPI
    private let token: APIToken
    private let side = SocketSide()
    private let time: VirtualTime
    /// The link holds it weakly.
    private let timeless = TimelessGateway()
    private let folder: URL

    /// - Parameter startsAt: host milliseconds at which the recording began.
    init(_ recording: Recording, startsAt: Int64) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "answers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try Store(path: folder.appending(path: "mesh.db").path)
        self.store = store
        let time = VirtualTime(startsAt: startsAt)
        self.time = time
        try store.commit {
            _ = try $0.insert(
                Source(uuid: Self.uuid, name: "Default", isEnabled: true, createdAt: time.milliseconds))
        }
        let (side, timeless) = (side, timeless)
        gateway = try Gateway(
            store: store, pace: SendingPace(text: 0, traceroute: 0, request: 0), clock: { time.milliseconds },
            monotonic: { TimelessGateway.now }, logger: .silent
        ) { radio in
            timeless.use(radio)
            let link = RadioLink(
                address: .connection(name: "recording"), connect: { try side.connect() }, tap: side,
                wallClock: { time.milliseconds / 1000 }, delegate: timeless)
            side.use(link)
            return link
        }
        api = RestAPI(Endpoints.all, gateway: gateway, version: "test", clock: { time.milliseconds })
        token = try TokenRegister(store: store).create(name: "all", scopes: .admin)
        gateway.start()
        try ReplayedRadio(recording, at: side, to: self).play()
        try timeIs(recording.duration)
        try store.commit { _ in }
    }

    deinit {
        gateway.stop()
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func post(_ packet: MeshPacket, replyingTo: PacketID?) throws -> PacketID? { nil }

    func awaitRead(_ count: UInt64) throws {
        try side.awaitTaken(count)
        // Changes are made in the order in which they were handed over; this one is made behind them.
        let done = Monitor(false)
        store.enqueue(.grouped, { _ in done.notify { $0 = true } }, done: { _ in done.notify { $0 = true } })
        _ = done.wait(seconds: 20) { $0 ? true : nil }
    }

    func timeIs(_ seconds: Double) throws { time.advance(toSeconds: seconds) }

    struct Answer {
        let status: Int
        let type: String?
        let tag: String?
        let text: String
    }

    /// Asks what MeshMonitor was asked, and writes our own ids as its answers have them.
    ///
    /// - Parameter path: with this gateway's ids of packets.
    func ask(_ request: RecordedAnswer, path: String) throws -> Answer {
        let target = path.replacing("SOURCE", with: Self.uuid)
        var headers = request.headers.map { ($0.name, $0.value.replacing("TOKEN", with: token.text)) }
        if let place = headers.firstIndex(where: { $0.1 == "ETAG" }) {
            headers[place].1 = respond("GET", target, [bearer]).tag ?? ""
        }
        if request.hasToken { headers.append(bearer) }
        if request.body != nil { headers.append((name: "Content-Type", value: "application/json")) }
        return respond(request.method, target, headers, body: request.body ?? "")
    }

    func get(_ path: String) throws -> StrictJSON {
        try StrictJSON(Data(respond("GET", path.replacing("SOURCE", with: Self.uuid), [bearer]).text.utf8))
    }

    private var bearer: (name: String, value: String) { (name: "Authorization", value: "Bearer " + token.text) }

    private func respond(
        _ method: String, _ target: String, _ headers: [(name: String, value: String)], body: String = ""
    ) -> Answer {
        let request = Request(
            method: method, target: target, headers: headers, body: Array(body.utf8),
            peer: .tcp(address: "127.0.0.1"))
        let response = api.respond(request).awaited()
        var bytes: [UInt8] = []
        switch response.body {
        case .empty, .live, .later: break
        case .bytes(let all): bytes = all
        case .stream(_, let next): while let chunk = try? next() { bytes += chunk }
        }
        let text = String(decoding: bytes, as: UTF8.self).replacing(Self.uuid, with: "SOURCE")
        return Answer(
            status: response.status, type: response.header("Content-Type"), tag: response.header("ETag"), text: text)
    }
}
