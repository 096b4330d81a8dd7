import Glibc
import HTTPServer
import MeshModel
import RestAPI
import Routes
import Store

/// The text of a request, through the function that the HTTP server calls: routing, tokens, query, JSON and all resources.
///
/// The first byte says who asks, bit 0: with a valid token. The others are as on the wire; libmicrohttpd's part, cutting
/// them into lines, is done here in the plainest way.
final class HTTPRequest: FuzzTarget {
    private static let inputs = 2_000
    private static let name = "requests.db"

    private let folder: String
    private var used = 0
    private var gateway: FuzzedGateway
    private var token: [UInt8]
    /// In a message and in the names: who has no token never sees it.
    private let secret = String(UInt64.random(in: 1 << 63 ... .max))

    init(folder: String) throws {
        self.folder = folder
        (gateway, token) = try Self.filledGateway(folder, secret)
    }

    deinit { gateway.stop() }

    func run(_ input: [UInt8]) throws {
        guard let first = input.first else { return }
        try renew()
        let isTrusted = first & 1 == 1 || first >> 1 & 3 == 3
        let request = request(input[1...], hasToken: first & 1 == 1, peer: Self.peers[Int(first >> 1 & 3)])
        let response = gateway.api.respond(request).awaited().unlessKnown(to: request)
        let body = try wholeBody(response.body)
        try check((200...599).contains(response.status), "the status is \(response.status)")
        let isOriginRefused = response.status == 500 && request.header("Origin") != nil
        try check(response.status != 500 || isOriginRefused, "\(String(decoding: body, as: UTF8.self))")
        for header in response.headers {
            let isPlain = (header.name + header.value).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            try check(isPlain, "a header that is none: \(header)")
        }
        if response.header("Content-Type")?.hasPrefix("application/json") == true, !body.isEmpty {
            try check(JSONText.isValid(body), "no JSON: \(String(decoding: body, as: UTF8.self))")
        }
        // libFuzzer sees comparisons, and could find it out: then it is an echo.
        if !isTrusted, Self.find(secret, in: body) {
            try check(Self.find(secret, in: input), "a stranger is shown a secret by \(request.path)")
        }
    }

    /// `local` is this user on the local socket, who may do everything.
    private static let peers: [Peer] = [
        .tcp(address: "192.168.1.7"), .tcp(address: "203.0.113.9"), .unix,
        .local(user: geteuid(), group: getegid(), process: 1),
    ]

    private func request(_ text: ArraySlice<UInt8>, hasToken: Bool, peer: Peer) -> Request {
        var rest = text
        let line = Self.line(&rest).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        var headers: [(name: [UInt8], value: [UInt8])] = []
        if hasToken { headers.append((Array("Authorization".utf8), token)) }
        while !rest.isEmpty {
            let field = Self.line(&rest)
            if field.isEmpty { break }
            // Neither holds a NUL, and blanks around a value are taken off.
            let parts = field.prefix { $0 != 0 }.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers.append((Array(parts[0]), Array(parts[1].drop { $0 == UInt8(ascii: " ") })))
        }
        let method = String(decoding: line.first?.prefix { $0 != 0 } ?? [], as: UTF8.self)
        // What Exchange refuses before anybody is asked.
        let target = line.dropFirst().first?.filter { $0 > 0x20 && $0 != 0x7F } ?? []
        return Request(method: method, target: target, headers: headers, body: Array(rest), peer: peer)
    }

    /// Takes a line, and its end with or without a CR.
    private static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    private static func find(_ text: String, in body: [UInt8]) -> Bool {
        let text = Array(text.utf8)
        return body.indices.contains { body[$0] == text[0] && body[$0...].starts(with: text) }
    }

    private func renew() throws {
        used += 1
        guard used > Self.inputs else { return }
        used = 0
        gateway.stop()
        for ending in ["", "-wal", "-shm", ".lock"] { unlink("\(folder)/\(Self.name)\(ending)") }
        (gateway, token) = try Self.filledGateway(folder, secret)
    }
}

// MARK: What there is to ask for

extension HTTPRequest {
    private static func filledGateway(_ folder: String, _ secret: String) throws -> (FuzzedGateway, [UInt8]) {
        let gateway = try FuzzedGateway(path: "\(folder)/\(name)")
        let token = try TokenRegister(store: gateway.store).create(name: secret, scopes: .admin)
        try fill(gateway, secret)
        return (gateway, Array("Bearer \(token.text)".utf8))
    }

    private static func fill(_ gateway: FuzzedGateway, _ secret: String) throws {
        let (source, peer, now) = (gateway.source, NodeNumber(0xABCD_EF12), FuzzedGateway.now)
        try gateway.store.commit { writer in
            try writer.updateNode(peer, in: source, at: now) { node in
                (node.longName, node.channel, node.lastHeard) = (secret, 0, now / 1000 - 60)
                (node.latitude, node.longitude, node.positionChannel) = (46.2, 6.1, 0)
                node.publicKey = PublicKey([UInt8](repeating: 7, count: 32))
                node.hopsAway = 0
            }
            let message = Message(
                id: "m_7", from: peer, to: .broadcast, text: secret, channel: 0, packetID: 7, timestamp: now,
                createdAt: now, updatedAt: now)
            _ = try writer.insertMessage(message, in: source)
            let packet = MeshPacket(
                from: peer, to: .broadcast, id: 7,
                payload: .decoded(MeshData(port: .textMessage, payload: Array(secret.utf8))), rxSNR: 5.25, rxRSSI: -97)
            try writer.logPacket(packet, direction: .rx, in: source, at: now)
            let voltage = Telemetry(kind: .device, values: [Telemetry.Value("voltage", 3.7)])
            try writer.insertTelemetry(voltage, from: peer, packet: packet, in: source, at: now)
            let route = RouteDiscovery(route: [NodeNumber(0x300)], snrTowards: [24, -13])
            try writer.insertTraceroute(
                from: FuzzedGateway.own, to: peer, packetID: 21, route: route, in: source, at: now)
        }
    }
}
