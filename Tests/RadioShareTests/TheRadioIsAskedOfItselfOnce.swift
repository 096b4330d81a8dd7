import MeshModel
import MeshProtocol
import Testing

@testable import Gateway
@testable import RadioShare

/// Phones ask the radio for its own telemetry behind each handshake, and it answers once in ten seconds, whoever asks: what it
/// has said lately is told again (SerialReference 12.2).
@Suite struct TheRadioIsAskedOfItselfOnce {
    @Test func howeverManyPhonesThereAre() throws {
        let house = try SharedHouse([.send, .read])
        let (first, second, reader) = (try house.connected(), try house.connected(), try house.connected(1))
        let answer = { (app: App, id: PacketID) in
            app.frames.compactMap(\.packet).first { $0.decoded?.requestID == id }
        }
        let ask = { (app: App, id: PacketID, kind: UInt8) in
            app.send(packet: app.packet(id, port: 67, [kind, 0], to: house.number, wantsResponse: true))
            _ = try #require(app.wait { $0.contains { $0.packet?.decoded?.requestID == id } }, "\(id)")
            try app.settle()
            #expect(app.frames.count { $0.status?.packetID == id } == 1, "\(id)")
            #expect(app.frames.count { $0.packet?.decoded?.requestID == id } == 1, "\(id)")
        }
        // local_stats
        try ask(first, 0x101, 0x32)
        let told = try #require(answer(first, 0x101))
        #expect(told.decoded?.port == .telemetry && told.from == house.number && told.decoded?.payload.isEmpty == false)
        #expect(eventually { house.written(0x101).count == 1 })

        try ask(second, 0x102, 0x32)
        let again = try #require(answer(second, 0x102))
        #expect(again.decoded?.payload == told.decoded?.payload && again.from == house.number)
        #expect(house.written(0x102).isEmpty)
        // environment_metrics: it has said nothing of that.
        try ask(second, 0x103, 0x1a)
        #expect(eventually { house.written(0x103).count == 1 })
        // Without a number it is given one, and answered under it.
        second.send(packet: second.packet(0, port: 67, [0x32, 0], to: house.number, wantsResponse: true))
        let isGiven = { (id: PacketID) in ![0, 0x102, 0x103].contains(id) }
        let frames = try #require(second.wait { $0.contains { isGiven($0.status?.packetID ?? 0) } })
        let id = try #require(frames.compactMap { $0.status?.packetID }.last { isGiven($0) })
        _ = try #require(second.wait { $0.contains { $0.packet?.decoded?.requestID == id } })
        // Who may only see what goes on asks nobody.
        reader.send(packet: reader.packet(0x104, port: 67, [0x32, 0], to: house.number, wantsResponse: true))
        _ = try #require(reader.wait { $0.contains { $0.routing(0x104) == .notAuthorized } })
    }
}
