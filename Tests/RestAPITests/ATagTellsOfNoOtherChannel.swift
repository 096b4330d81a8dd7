import HTTPServer
import MeshModel
import Routes
import Testing

@testable import RestAPI

/// A token that may not read all channels has a tag of the body; for all others it is made of counters.
@Suite struct ATagTellsOfNoOtherChannel {
    private static let paths = [
        "/api/v1/messages", "/api/v1/messages?channel=0", "/api/v1/messages?conversation=channel:0", "/api/v1/nodes",
        "/api/v1/nodes?active=true", "/api/v1/telemetry", "/api/v1/telemetry/!abcdef12",
        "/api/v1/nodes/!abcdef12/position-history", "/api/v1/traceroutes", "/api/v1/network/topology",
        "/api/v1/packets", "/api/nodes", "/api/sources/default/nodes", "/api/unified/messages",
    ]
    private static let narrow = [
        "messages:read", "nodes:read", "traceroute:read", "packetmonitor:read", "channel_0:read",
    ]

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { $0.channel = 0 }
        try speak(test, on: 0, 1)
        return test
    }

    private func speak(_ test: TestGateway, on channel: Int, _ packetID: PacketID) throws {
        let (id, speaker) = (test.id, channel == 0 ? TestGateway.peer : NodeNumber(0x700))
        try test.insert("hello", packetID: packetID, at: TestGateway.now + Int64(packetID)) { $0.channel = channel }
        try test.update(speaker, at: TestGateway.now + Int64(packetID)) { $0.channel = channel }
        let packet = MeshPacket(
            from: speaker, to: .broadcast, channel: UInt32(channel), id: packetID,
            payload: .decoded(MeshData(port: .textMessage, payload: [65])), hopStart: 3)
        try test.store.commit { writer in
            try writer.logPacket(packet, direction: .rx, in: id, at: TestGateway.now)
            try writer.insertTelemetry(
                Telemetry(kind: .device, values: [Telemetry.Value("voltage", 3.7)]), from: speaker, packet: packet,
                in: id, at: TestGateway.now)
            try writer.insertPosition(
                Position(latitudeI: 1, longitudeI: 2), from: speaker, packet: packet, in: id, at: TestGateway.now)
        }
    }

    private func ask(_ test: TestGateway, _ path: String, _ token: APIToken, _ known: String? = nil) throws -> Answer {
        let authorization = (name: "Authorization", value: "Bearer " + token.text)
        return try test.ask(
            "GET", path, headers: [authorization] + (known.map { [(name: "If-None-Match", value: $0)] } ?? []))
    }

    @Test(arguments: paths) func ofWhatATokenMayNotRead(_ path: String) throws {
        let test = try gateway()
        let token = try test.token(Self.narrow)
        let first = try ask(test, path, token)
        let tag = try #require(first.header("ETag"))
        try speak(test, on: 1, 2)
        let second = try ask(test, path, token)
        #expect(second.header("ETag") == tag && second.body == first.body)
        let known = try ask(test, path, token, tag)
        #expect(known.status == 304 && known.body.isEmpty && known.header("ETag") == tag)
        try speak(test, on: 0, 3)
        try test.update(TestGateway.peer, at: TestGateway.now + 9) { $0.longName = "Ridge" }
        if path.contains("traceroutes") || path.contains("active") { return }
        let changed = try ask(test, path, token, tag)
        #expect(changed.status == 200 && changed.header("ETag") != tag)
    }

    /// A list of several slices is tagged by what it will be printed as.
    @Test func ofALongList() throws {
        let test = try gateway()
        let token = try test.token(Self.narrow)
        for number in 1...300 as ClosedRange<PacketID> {
            try test.insert("text \(number)", packetID: 100 + number, at: TestGateway.now + Int64(number))
        }
        let path = "/api/v1/messages?limit=1000"
        let first = try ask(test, path, token)
        #expect(first.chunks.count > 1)
        try speak(test, on: 1, 2)
        let tag = try #require(first.header("ETag"))
        #expect(try ask(test, path, token, tag).status == 304)
        try test.insert("last", packetID: 9_000, at: TestGateway.now + 9_000)
        #expect(try ask(test, path, token, tag).status == 200)
    }

    /// Direct messages are in the log of packets, too.
    @Test func norOfDirectMessages() throws {
        let test = try gateway()
        let token = try test.token(["packetmonitor:read", "channels:read"])
        let tag = try #require(try ask(test, "/api/v1/packets", token).header("ETag"))
        let id = test.id
        let packet = MeshPacket(
            from: TestGateway.peer, to: TestGateway.own, id: 9,
            payload: .decoded(MeshData(port: .textMessage, payload: [65])), hopStart: 3)
        try test.store.commit { try $0.logPacket(packet, direction: .rx, in: id, at: TestGateway.now) }
        #expect(try ask(test, "/api/v1/packets", token, tag).status == 304)
    }

    /// Nothing is read for an ordinary token's 304: its tag is of counters, and changes with a message on any channel.
    @Test func othersHaveCounters() throws {
        let test = try gateway()
        let path = "/api/v1/messages?channel=0"
        let tag = try #require(try ask(test, path, test.token).header("ETag"))
        #expect(try ask(test, path, test.token, tag).status == 304)
        try speak(test, on: 1, 2)
        #expect(try ask(test, path, test.token, tag).status == 200)
    }
}
