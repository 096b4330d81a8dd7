import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// Time, place and time zone are the gateway's to keep. Apps set them unasked: they are told that it is done, and nothing
/// reaches the radio (SerialReference 12.1, 12.2 and 12.3).
@Suite struct WhatThePhoneMeansForItsRadioIsSwallowed {
    @Test(arguments: [ClientRight.read, .admin]) func timeAndPlace(right: ClientRight) throws {
        let house = try SharedHouse([right])
        let app = try house.connected()
        // set_time_only
        app.administer(0x41, [0xdd, 2, 1, 2, 3, 4], at: house.number)
        // A position with a time in it, which would set the clock as well.
        app.send(
            packet: app.packet(
                0x42, port: 3, [0x0d, 1, 2, 3, 4, 0x15, 5, 6, 7, 8, 0x25, 1, 2, 3, 4], to: house.number, wantsAck: true)
        )
        for id in [0x41, 0x42] as [PacketID] {
            _ = try #require(app.wait { $0.contains { $0.routing(id) == RoutingError.none } }, "\(id)")
        }
        try app.settle()
        for id in [0x41, 0x42] as [PacketID] {
            #expect(app.frames.count { $0.status?.packetID == id } == 1 && house.written(id).isEmpty)
        }
        #expect(!house.tap.written.withLock { $0 }.contains { $0.contains([0xdd, 2, 1, 2, 3, 4]) })
    }

    /// set_config { device { the radio's own, tzdef } }: Apple's app, where the radio has no time zone.
    @Test(arguments: [ClientRight.read, .admin]) func theTimeZone(right: ClientRight) throws {
        let house = try SharedHouse([right])
        let app = try house.connected()
        let device = try #require(app.frames.first { $0.raw.count > 4 && $0.raw[0] == 0x2a && $0.raw[2] == 0x0a }).raw
        let content = Array(device.dropFirst(4))
        let zone = [0x5a, 3] + Array("CET".utf8)
        #expect(!content.contains(0x5a), "the radio has a time zone")
        let order = { (content: [UInt8]) in
            [0x92, 2, UInt8(content.count + 2), 0x0a, UInt8(content.count)] + content
        }
        app.administer(0x51, order(content + zone), at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0x51) == RoutingError.none } })
        #expect(!house.tap.written.withLock { $0 }.contains { $0.contains(zone) })
        // With another setting besides it is an order like any other: node_info_broadcast_secs.
        app.administer(0x52, order(content + zone + [0x38, 0x90, 0x4e]), at: house.number)
        let frames = try #require(app.wait { $0.contains { $0.routing(0x52) != nil } })
        #expect(frames.compactMap { $0.routing(0x52) } == [right == .read ? .notAuthorized : RoutingError.none])
    }
}
