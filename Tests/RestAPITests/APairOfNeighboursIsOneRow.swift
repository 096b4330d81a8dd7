import Foundation
import MeshModel
import Platform
import Testing

@testable import RestAPI

/// `/api/sources/{id}/neighbor-info`, which maps draw: a line for each pair of nodes.
@Suite struct APairOfNeighboursIsOneRow {
    static let (ridge, valley, hut) = (NodeNumber(0x100), NodeNumber(0x200), NodeNumber(0x300))
    private static let path = "/api/sources/default/neighbor-info"

    /// Who says what about whom, and how many hours ago.
    private func gateway(
        _ reports: [(node: NodeNumber, heard: [(NodeNumber, Float)], hours: Int64)]
    ) throws -> (TestGateway, now: Int64) {
        let (test, now) = (try TestGateway(), WallClock.milliseconds())
        for node in [Self.ridge, Self.valley, Self.hut] { try test.update(node) { $0.channel = 0 } }
        let id = test.id
        try test.store.commit { writer in
            for report in reports {
                let info = NeighborInfo(
                    number: report.node, lastSentBy: report.node, broadcastInterval: 900,
                    neighbors: report.heard.map { .init(number: $0.0, snr: $0.1, lastRxTime: 0) })
                try writer.replaceNeighbors(info, in: id, at: now - report.hours * 3_600_000)
            }
        }
        return (test, now)
    }

    private func rows(_ answer: Answer) throws -> [NSDictionary] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [NSDictionary], "\(answer.text)")
    }

    @Test func theNewerReportIsShownWithTheOther() throws {
        let (test, now) = try gateway([
            (Self.ridge, [(Self.valley, -3.25), (Self.hut, 6)], 2), (Self.valley, [(Self.ridge, 1.5)], 1),
        ])
        let answer = try test.get(Self.path)
        let rows = try rows(answer)
        #expect(rows.map { $0["nodeNum"] as? Int } == [0x200, 0x100])
        #expect(rows.map { $0["neighborNodeNum"] as? Int } == [0x100, 0x300])
        #expect(rows.map { $0["snr"] as? Double } == [1.5, 6])
        #expect(rows.map { $0["bidirectional"] as? Bool } == [true, false])
        #expect(
            answer.text.contains(
                #""neighborName":"Node !00000100","bidirectional":true,"reverseSnr":-3.25,"#
                    + #""reverseTimestamp":\#(now - 7_200_000),"transportClass":"rf","nodeLatitude":null"#))
        #expect(
            answer.text.contains(#""bidirectional":false,"reverseSnr":null,"reverseTimestamp":null,"transportClass""#))
        // The other route keeps what each of them says.
        #expect(try self.rows(try test.get("/api/neighbor-info")).count == 3)
    }

    @Test func aReportOfYesterdayIsGone() throws {
        let (test, _) = try gateway([
            (Self.ridge, [(Self.valley, -3.25)], 25), (Self.valley, [(Self.ridge, 1.5), (Self.hut, 2)], 23),
        ])
        #expect(try rows(try test.get(Self.path)).map { $0["nodeNum"] as? Int } == [0x200, 0x200])
        let (old, _) = try gateway([(Self.ridge, [(Self.valley, -3.25)], 25)])
        #expect(try old.get(Self.path).text == "[]")
        #expect(try rows(try old.get("/api/neighbor-info")).count == 1)
    }

    /// How the two nodes were heard last -> the class.
    @Test(
        arguments: [
            (1, 1, "rf"), (nil, nil, "rf"), (1, 6, "udp"), (6, nil, "udp"), (5, 1, "mqtt"), (6, 5, "mqtt"),
        ] as [(UInt32?, UInt32?, String)])
    func aClassTellsHowTheNodesWereHeard(_ one: UInt32?, _ other: UInt32?, _ expected: String) throws {
        let (test, _) = try gateway([(Self.ridge, [(Self.valley, 0)], 0)])
        try test.update(Self.ridge) { $0.transport = one }
        try test.update(Self.valley) { $0.transport = other }
        #expect(try rows(try test.get(Self.path)).map { $0["transportClass"] as? String } == [expected])
    }

    @Test func aPacketThatCameOverMQTTBeforeTheRadioMakesItThatClass() throws {
        let (test, _) = try gateway([(Self.ridge, [(Self.valley, 0)], 0)])
        try test.update(Self.valley) { ($0.viaMQTT, $0.transport) = (true, 1) }
        #expect(try rows(try test.get(Self.path)).map { $0["transportClass"] as? String } == ["mqtt"])
    }
}
