import ControlAPI
import FakeSerial
import Foundation
import Gateway
import HTTPServer
import Log
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Recordings
import RestAPI
import Routes
import Store

/// A gateway with everything that belongs to it, after a recording was played to it: device node, libserialport,
/// session, domain, database and REST API.
final class PlayedRecording {
    struct Failure: Error, CustomStringConvertible { let description: String }

    let name: String
    let recording: Recording
    let oracle: Oracle
    let folder: URL
    let store: Store
    let api: RestAPI
    let source: SourceID
    /// From ids of the recorded host to ids of the gateway.
    let ids: [PacketID: PacketID]
    let posts: [Post]
    /// The gateway's texts as they reached the radio.
    let sent: [MeshPacket]
    /// Where the link stood when the recording was over and the radio still there.
    let statusAtEnd: RadioStatus

    init(_ name: String) throws {
        self.name = name
        recording = try Recording(RecordingFiles.stream(name))
        oracle = try Oracle(named: name)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try Store(path: folder.appendingPathComponent("mesh.db").path)
        self.store = store

        let port = RadioPort()
        let time = oracle.time
        let gateway = try Gateway(
            store: store, pace: SendingPace(text: 0, traceroute: 0, request: 0), clock: { time },
            logger: .silent
        ) { RadioLink(address: .path(port.device.stablePath), delegate: $0) }
        let api = RestAPI(Endpoints.all + ControlEndpoints.all, gateway: gateway, version: "test")
        self.api = api

        let radio = ReplayedRadio(recording, at: port, to: Listener(api: api, gateway: gateway))
        gateway.start()
        defer {
            gateway.stop()
            port.unplug()
        }
        try radio.play()
        try store.commit { _ in }
        source = try store.read { try $0.sources().first { $0.1.isEnabled }!.0 }
        statusAtEnd = gateway.status(of: source)
        gateway.stop()
        try store.commit { _ in }
        ids = radio.ids
        posts = radio.posts
        sent = radio.sent
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// One GET without a token, as a process of the daemon's own user may over the local socket.
    func get(_ target: String) throws -> Any {
        try Self.request("GET", target, nil, of: api).json
    }

    fileprivate static func request(
        _ method: String, _ target: String, _ body: [UInt8]?, of api: RestAPI
    ) throws -> (status: Int, json: Any) {
        let response = api.respond(
            Request(
                method: method, target: target, headers: [(name: "Content-Type", value: "application/json")],
                body: body ?? [], peer: .local(user: getuid(), group: getgid(), process: getpid()))
        ).awaited()
        var bytes: [UInt8] = []
        switch response.body {
        case .empty: break
        case .bytes(let all): bytes = all
        case .stream(_, let next): while let chunk = try next() { bytes += chunk }
        case .live, .later: break
        }
        return (response.status, try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
    }
}

/// A client of the API, and the link's own counters.
private final class Listener: ReplayListener {
    let api: RestAPI
    let gateway: Gateway

    init(api: RestAPI, gateway: Gateway) {
        self.api = api
        self.gateway = gateway
    }

    func timeIs(_ seconds: Double) {}

    func post(_ packet: MeshPacket, replyingTo: PacketID?) throws -> PacketID? {
        var body: [String: Any] = ["text": String(decoding: packet.decoded!.payload, as: UTF8.self)]
        if packet.to.isBroadcast {
            body["channel"] = Int(packet.channel)
        } else {
            body["toNodeId"] = packet.to.id
        }
        if let replyingTo { body["replyId"] = replyingTo }
        let (status, json) = try PlayedRecording.request(
            "POST", "/api/v1/messages", Array(JSONSerialization.data(withJSONObject: body)), of: api)
        guard status == 201, let data = (json as? [String: Any])?["data"] as? [String: Any],
            let id = data["requestId"] as? UInt32
        else { throw PlayedRecording.Failure(description: "POST \(body) was answered with \(status) \(json)") }
        return id
    }

    func awaitRead(_ count: UInt64) throws {
        let end = MonotonicClock.milliseconds() + 20_000
        while true {
            let read = gateway.linkStatistics[0].bytesRead
            if read >= count { return }
            guard MonotonicClock.milliseconds() < end else {
                throw PlayedRecording.Failure(description: "the gateway has read \(read) of \(count) bytes")
            }
            usleep(200)
        }
    }
}
