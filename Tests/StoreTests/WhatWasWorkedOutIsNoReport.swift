import MeshModel
import Testing

@testable import Store

private let report = Telemetry(kind: .device, values: [.init("batteryLevel", 87), .init("voltage", 3.7)])

private func packet(_ id: PacketID, channel: UInt32 = 0) -> MeshPacket {
    let data = MeshData(port: .textMessage, payload: [65])
    return MeshPacket(from: alice, to: .broadcast, channel: channel, id: id, payload: .decoded(data))
}

/// What the gateway has worked out is listed and counted with what nodes measured, and never taken for it.
@Suite struct WhatWasWorkedOutIsNoReport {
    @Test func itIsListedAndCountedBesideTheReports() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        try store.commit { writer throws in
            try writer.insertTelemetry(report, from: alice, packet: packet(1), in: source, at: noon)
            let values = [(metric: DerivedMetric.messageHops, value: 2.0), (.rssi, -81)]
            #expect(try writer.insertDerived(values, of: alice, from: packet(1), in: source, at: noon))
            #expect(try !writer.insertDerived(values, of: alice, from: packet(1), in: source, at: noon + 1))
            #expect(try writer.hasPacket(id: 1, from: alice, in: source))
            try writer.insertDerived([(.messageHops, 1)], of: alice, from: packet(2), in: source, at: noon + 2)
            #expect(try !writer.hasPacket(id: 2, from: alice, in: source))
        }
        try store.read { reader throws in
            var query = TelemetryQuery(source: source, node: alice)
            #expect(try reader.telemetryTotal(query) == 5)
            #expect(try reader.telemetryCount() == 5)
            let all = try reader.telemetryPoints(query, limit: 10)
            #expect(all.map(\.name) == ["messageHops", "messageHops", "rssi", "batteryLevel", "voltage"])
            #expect(Set(all.map(\.id)).count == 5)
            for offset in 0..<5 {
                #expect(try reader.telemetryPoints(query, limit: 1, offset: offset) == [all[offset]])
            }
            query.isReported = true
            #expect(try reader.telemetryPoints(query, limit: 10).map(\.name) == ["batteryLevel", "voltage"])
            #expect(try reader.telemetry(of: alice, in: source).map(\.value) == [report])
            query = TelemetryQuery(source: source, node: alice, name: "rssi")
            #expect(try reader.telemetryTotal(query) == 1)
            #expect(try reader.telemetryPoints(query, limit: 10).map(\.value) == [-81])
        }
    }

    /// It follows the packet's channel, and the node's.
    @Test func itIsSeenByWhoSeesThePacketAndTheNode() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        try store.commit { writer in
            for (node, channel) in [(alice, 0), (bob, 3)] {
                try writer.updateNode(node, in: source, at: noon) { $0.channel = channel }
                try writer.insertDerived([(.linkQuality, 7)], of: node, in: source, at: noon)
            }
            let overheard = packet(1, channel: UInt32(ChannelEntry.channelOffset + 1))
            try writer.insertDerived([(.messageHops, 2)], of: alice, from: overheard, in: source, at: noon)
        }
        try store.read { reader throws in
            let all = TelemetryQuery(source: source)
            #expect(try reader.telemetryPoints(all, limit: 10).count == 3)
            for (channels, nodes) in [([0], [alice]), ([3], [bob]), ([0, 101], [alice, alice]), ([], [])] {
                let query = TelemetryQuery(source: source, channels: channels)
                #expect(try reader.telemetryPoints(query, limit: 10).map(\.node) == nodes)
            }
        }
    }

    /// What the radio remembers was heard long ago. It hides no report of a whole source behind other tables' rows.
    @Test func whatTheRadioRemembersStandsWhereItWasStored() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        let hour: Int64 = 3_600_000
        try store.commit { writer in
            let place = Position(latitudeI: 1, longitudeI: 2)
            try writer.insertPosition(place, from: bob, packet: nil, in: source, at: noon - 2 * hour)
            try writer.insertTelemetry(report, from: bob, packet: nil, in: source, at: noon - hour)
            try writer.insertDerived([(.snrRemote, -4)], of: alice, in: source, at: noon - 9 * hour, now: noon)
        }
        try store.read { reader throws in
            let points = try reader.telemetryPoints(TelemetryQuery(source: source), limit: 10)
            #expect(points.map(\.name) == ["snr_remote", "batteryLevel", "voltage", "latitude", "longitude"])
            #expect(points.map(\.at).first == noon - 9 * hour && points.map(\.time).first == .some(nil))
            let lately = TelemetryQuery(source: source, since: noon - hour)
            #expect(try reader.telemetryPoints(lately, limit: 10).map(\.name) == ["batteryLevel", "voltage"])
        }
    }

    @Test func aChangeThatFailedLeavesNoGrade() throws {
        struct Failure: Error {}
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        #expect(throws: Failure.self) {
            try store.commit { writer in
                try writer.setLinkQuality(7, of: alice, in: source, at: noon)
                throw Failure()
            }
        }
        let known = try store.commit { try $0.linkQuality(of: alice, in: source) }
        #expect(known == nil)
    }
}
