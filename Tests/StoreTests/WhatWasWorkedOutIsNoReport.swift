import MeshModel
import Testing

@testable import Store

private let report = Telemetry(
    time: 1_787_299_000, kind: .device, values: [.init("batteryLevel", 87), .init("voltage", 3.7)])

private func packet(_ id: PacketID, channel: UInt32 = 0) -> MeshPacket {
    let data = MeshData(port: .textMessage, payload: [65])
    return MeshPacket(from: alice, to: .broadcast, channel: channel, id: id, payload: .decoded(data))
}

/// What the gateway has worked out is listed and counted with what nodes measured, and never taken for it.
@Suite struct WhatWasWorkedOutIsNoReport {
    /// In the row of the report from whose packet it was worked out, or in one of its own.
    @Test func itIsListedAndCountedBesideTheReports() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        let known = try store.commit { writer throws in
            let ofReport = [Telemetry.Value(.messageHops, 2), .init(.linkQuality, 9)]
            let others = [Telemetry.Value(.messageHops, 1), .init(.rssi, -81)]
            try writer.insertTelemetry(
                report, from: alice, packet: packet(1), in: source, at: noon, with: ofReport)
            // The second copy is known, as that of the report is.
            for at in [noon + 2, noon + 3] where try !writer.hasDerived(from: packet(2), in: source, at: at) {
                try writer.insertDerived(others, of: alice, from: packet(2), in: source, at: at)
            }
            #expect(try writer.hasDerived(from: packet(1), in: source, at: noon + 3))
            return try [1, 2].map { try writer.hasPacket(id: $0, from: alice, in: source) }
        }
        #expect(known == [true, false], "only of a report")
        try store.read { reader throws in
            var query = TelemetryQuery(source: source, node: alice)
            #expect(try reader.telemetryTotal(query) == 6)
            #expect(try reader.telemetryCount() == 6)
            let all = try reader.telemetryPoints(query, limit: 10)
            let names = ["messageHops", "rssi", "batteryLevel", "voltage", "messageHops", "linkQuality"]
            #expect(all.map(\.name) == names)
            #expect(all.map(\.packetID) == [2, 2, 1, 1, 1, nil])
            #expect(all.map(\.time) == [nil, nil, 1_787_299_000, 1_787_299_000, nil, nil])
            #expect(Set(all.map(\.id)).count == 6)
            for offset in 0..<6 {
                #expect(try reader.telemetryPoints(query, limit: 1, offset: offset) == [all[offset]])
            }
            #expect(try reader.telemetry(of: alice, in: source).map(\.value) == [report])
            for (name, values) in [
                ("messageHops", [1.0, 2]), ("rssi", [-81]), ("linkQuality", [9]), ("voltage", [3.7]),
            ] {
                query.name = name
                #expect(try reader.telemetryTotal(query) == values.count)
                #expect(try reader.telemetryPoints(query, limit: 10).map(\.value) == values)
            }
        }
    }

    /// What the radio repeats is compared with the report alone.
    @Test func aReportIsTheSameWithoutIt() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        let newest = try store.commit { writer throws in
            try writer.insertTelemetry(
                report, from: alice, packet: packet(1), in: source, at: noon, with: [.init(.messageHops, 2)])
            var other = report
            other.values.removeLast()
            return try [report, other].map { try writer.newestReport(of: alice, as: $0, in: source)?.isSame }
        }
        #expect(newest == [true, false])
    }

    /// A grade that two hundred rows do not mention would have risen.
    @Test(arguments: [(199, nil), (200, 10)] as [(Int, Int?)]) func aGradeIsFoundAgain(_ rows: Int, _ grade: Int?)
        throws
    {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        let found = try store.commit { writer throws in
            for place in 0..<rows {
                let id = PacketID(place + 1)
                try writer.insertDerived(
                    [.init(.messageHops, 1)], of: alice, from: packet(id), in: source, at: noon + Int64(place))
            }
            return try writer.linkQuality(of: alice, in: source)
        }
        #expect(found == grade)
    }

    /// It follows the packet's channel, and the node's.
    @Test func itIsSeenByWhoSeesThePacketAndTheNode() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        try store.commit { writer in
            for (node, channel) in [(alice, 0), (bob, 3)] {
                try writer.updateNode(node, in: source, at: noon) { $0.channel = channel }
                try writer.insertDerived([.init(.linkQuality, 7)], of: node, in: source, at: noon)
            }
            let overheard = packet(1, channel: UInt32(ChannelEntry.channelOffset + 1))
            try writer.insertDerived([.init(.messageHops, 2)], of: alice, from: overheard, in: source, at: noon)
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
            try writer.insertDerived([.init(.snrRemote, -4)], of: alice, in: source, at: noon - 9 * hour, now: noon)
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
                try writer.insertDerived([.init(.linkQuality, 7)], of: alice, in: source, at: noon)
                try writer.noteLinkQuality(7, of: alice, in: source)
                throw Failure()
            }
        }
        let known = try store.commit { try $0.linkQuality(of: alice, in: source) }
        #expect(known == nil)
    }
}
