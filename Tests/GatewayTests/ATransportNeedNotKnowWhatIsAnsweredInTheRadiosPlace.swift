import Glibc
import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// Apps tell and ask the radio what is the gateway's to keep or to know. A transport that passes on everything it is told
/// (``ToyTransport``) has clients that are answered as they would be by the radio, and the radio is left alone.
@Suite struct ATransportNeedNotKnowWhatIsAnsweredInTheRadiosPlace {
    private func connected(_ right: ClientRight) throws -> House {
        let house = try House(right: right)
        house.send(.wantConfig(1))
        _ = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        return house
    }

    /// A packet to the radio itself: its Data's fields behind the port and the payload, and its own behind the id.
    private func tell(
        _ house: House, _ id: UInt8, port: UInt8, _ payload: [UInt8], _ inData: [UInt8] = [], _ more: [UInt8] = []
    ) {
        let data = [8, port, 18, UInt8(payload.count)] + payload + inData
        let number = (0..<4).map { UInt8(truncatingIfNeeded: house.radio.number.rawValue >> (8 * $0)) }
        house.send(bytes: [0x15] + number + [0x22, UInt8(data.count)] + data + [0x35, id, 0, 0, 0] + more)
    }

    /// What was said before this has reached the radio, if it ever does.
    private func waitForWhatWasSaid(_ house: House, text id: UInt8) throws {
        house.send(bytes: [0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 5, 8, 1, 18, 1, 0x61, 0x35, id, 0, 0, 0])
        _ = try #require(house.waitForWritten { house.id(ofPacket: $0) == PacketID(id) })
    }

    private func answer(_ house: House, to id: PacketID) throws -> MeshData {
        let isMeant = { (frame: [UInt8]) in house.packet(frame)?.decoded?.requestID == id }
        let frames = try #require(house.wait { $0.contains(where: isMeant) }, "\(id) has no answer")
        return try #require(frames.first(where: isMeant).flatMap { house.packet($0)?.decoded })
    }

    @Test(arguments: [ClientRight.read, .send, .admin]) func aPhonesOwnPlaceIsTaken(right: ClientRight) throws {
        let house = try connected(right)
        // A place with a time, which would set the radio's clock as well; the client wants it acknowledged.
        tell(house, 0x41, port: 3, [0x0d, 1, 2, 3, 4, 0x15, 5, 6, 7, 8, 0x25, 1, 2, 3, 4], [], [0x50, 1])
        _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x41) == RoutingError.none } })
        _ = try #require(house.wait { $0.contains { house.status($0) == 0x41 } })
        if right >= .send { try waitForWhatWasSaid(house, text: 0x42) }
        #expect(!house.written.contains { house.id(ofPacket: $0) == 0x41 })
        // One for another node is not the radio's own.
        let friend = (0..<4).map { UInt8(truncatingIfNeeded: house.radio.nodes[0].rawValue >> (8 * $0)) }
        house.send(bytes: [0x15] + friend + [0x22, 9, 8, 3, 18, 5, 0x0d, 1, 2, 3, 4, 0x35, 0x43, 0, 0, 0])
        if right == .admin {
            #expect(house.waitForWritten { house.id(ofPacket: $0) == 0x43 } != nil)
        } else {
            _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x43) == .notAuthorized } })
        }
    }

    /// local_stats, which the radio tells when it is asked; whoever asks then is told the same.
    @Test func theRadiosTelemetryIsToldFromMemory() throws {
        let house = try connected(.send)
        tell(house, 0x51, port: 67, [0x32, 0], [24, 1])
        let told = try answer(house, to: 0x51)
        #expect(told.port == .telemetry && told.payload.count > 2)
        tell(house, 0x52, port: 67, [0x32, 0], [24, 1])
        let again = try answer(house, to: 0x52)
        #expect(again.port == .telemetry && again.payload == told.payload)
        _ = try #require(house.wait { $0.contains { house.status($0) == 0x52 } })
        // environment_metrics, of which it has said nothing.
        tell(house, 0x53, port: 67, [0x1a, 0], [24, 1])
        _ = try #require(house.waitForWritten { house.id(ofPacket: $0) == 0x53 })
        #expect(!house.written.contains { house.id(ofPacket: $0) == 0x52 })
    }

    /// When nobody has listened for a while, what the radio has said since is not known.
    @Test func whatNobodyHasHeardIsNotRemembered() throws {
        let house = try connected(.send)
        let (gateway, source, number) = (house.gateway, house.source, house.radio.number)
        let data: [UInt8] = [8, 67, 18, 2, 0x32, 0, 24, 1]
        let address = (0..<4).map { UInt8(truncatingIfNeeded: number.rawValue >> (8 * $0)) }
        let question = try #require(
            ClientPacket([0x15] + address + [0x22, UInt8(data.count)] + data + [0x35, 0x61, 0, 0, 0]))
        tell(house, 0x62, port: 67, [0x32, 0], [24, 1])
        let told = try answer(house, to: 0x62)
        #expect(
            gateway.answerInPlace(to: question, right: .send, of: source) == .answered(.telemetry, told.payload))
        #expect(gateway.answerInPlace(to: question, right: .read, of: source) == .refused(.notAuthorized))
        house.leave()
        for _ in 0..<60_000 where !gateway.frameListeners.isEmpty { usleep(1_000) }
        #expect(gateway.frameListeners.isEmpty)
        #expect(gateway.answerInPlace(to: question, right: .send, of: source) == nil)
    }

    /// set_config { device { the radio's own, tzdef } }: Apple's app, where the radio has no time zone.
    @Test(arguments: [ClientRight.read, .admin]) func aTimeZoneThatIsSetUnaskedIsTaken(right: ClientRight) throws {
        let house = try connected(right)
        let frames = try #require(house.wait { _ in true })
        let device = try #require(frames.first { $0.count > 4 && $0[0] == 0x2a && $0[2] == 0x0a })
        let content = Array(device.dropFirst(4))
        let zone = [0x5a, 3] + Array("CET".utf8)
        #expect(!content.contains(0x5a), "the radio has a time zone")
        func order(_ content: [UInt8]) -> [UInt8] {
            [0x92, 2, UInt8(content.count + 2), 0x0a, UInt8(content.count)] + content
        }
        house.administer(0x71, order(content + zone))
        _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x71) == RoutingError.none } })
        _ = try #require(house.wait { $0.contains { house.status($0) == 0x71 } })
        #expect(!house.written.contains { $0.contains(zone) })
        // With another setting besides it is an order like any other: node_info_broadcast_secs.
        house.administer(0x72, order(content + zone + [0x38, 0x90, 0x4e]))
        if right == .admin {
            _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x72) == RoutingError.none } })
            #expect(house.written.contains { $0.contains(zone) })
        } else {
            _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x72) == .notAuthorized } })
        }
    }
}
