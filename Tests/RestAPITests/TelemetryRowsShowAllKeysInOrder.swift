import MeshModel
import Store
import Testing

@testable import RestAPI

@Suite struct TelemetryRowsShowAllKeysInOrder {
    /// The row of Contract 3.7, but for its number.
    @Test func aChargeIsTheContractsExample() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        let report = Telemetry(time: 1_787_300_040, kind: .device, values: [.init("batteryLevel", 87)])
        try test.insert(report, packetID: 411_602_818, at: 1_787_300_042_511)
        let answer = try test.get("/api/v1/sources/\(test.uuid)/telemetry?nodeId=!abcdef12")
        let number = try #require(try answer.rows.first?["id"] as? Int)
        #expect(
            answer.text == #"{"success":true,"count":1,"total":1,"offset":0,"limit":1000,"data":[{"id":\#(number),"#
                + #""nodeId":"!abcdef12","nodeNum":2882400018,"telemetryType":"batteryLevel","#
                + #""timestamp":1787300042511,"value":87,"unit":"%","createdAt":1787300042511,"#
                + #""packetTimestamp":1787300040000,"packetId":411602818,"channel":0,"precisionBits":null,"#
                + #""gpsAccuracy":null,"rxSnr":null,"hopStart":null,"hopLimit":null,"sourceId":"\#(test.uuid)"}]}"#)
    }

    @Test func aPositionIsSixSeries() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        var position = place(-5, altitude: -3)
        (position.groundSpeed, position.groundTrack) = (36, 9_150_000)
        (position.satsInView, position.precisionBits, position.gpsAccuracy) = (9, 32, 2500)
        try test.insert(position, packetID: .max, at: TestGateway.now)
        let rows = try test.get("/api/v1/telemetry").rows
        let shown = rows.map { "\($0["telemetryType"] ?? "") \($0["value"] ?? "") \($0["unit"] ?? "")" }
        #expect(
            shown == [
                "latitude 46.948 °", "longitude 7.4469995 °", "altitude -3 m", "sats_in_view 9 sats",
                "ground_speed 36 km/h", "ground_track 91.5 °",
            ])
        for row in rows {
            #expect(row["precisionBits"] as? Int == 32)
            #expect(row["gpsAccuracy"] as? Double == 2.5)
            #expect(row["rxSnr"] as? Double == 4.5)
            #expect(row["hopStart"] as? Int == 3)
            #expect(row["hopLimit"] as? Int == 2)
            #expect(row["packetId"] as? Int == 4_294_967_295)
        }
    }

    private func value(_ number: Double) -> String { JSONText { $0.measurement(number) }.text }

    /// No sign of 32 bits, of 32-bit floats, or of decimals that a whole number does not have.
    @Test func numbersHaveTheirOwnDigits() {
        #expect(value(3.7) == "3.7")
        // As rows of before kept it.
        #expect(value(Double(Float(3.7))) == "3.7")
        #expect(value(4) == "4")
        #expect(value(-12.25) == "-12.25")
        #expect(value(4_294_967_296) == "4294967296")
        #expect(value(4_294_967_295) == "4294967295")
        #expect(value(1_099_511_627_776) == "1099511627776")
        #expect(value(0.0000005) == "0.0000005")
    }

    @Test(
        arguments: [
            // Seconds by the sender, and what is shown; the packet came 1787300000 seconds after 1970.
            (nil, "null"), (0, "null"), (86_400, "null"), (1_787_299_000, "1787299000000"),
            (1_787_303_600, "1787303600000"), (1_787_303_601, "1787300000000"), (UInt32.max, "1787300000000"),
        ] as [(UInt32?, String)])
    func aClaimedTimeMustBePossible(_ time: UInt32?, _ shown: String) throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        try test.insert(
            Telemetry(time: time, kind: .device, values: [.init("voltage", 4.05)]), packetID: 1, at: TestGateway.now)
        let row = JSONText(try test.get("/api/v1/telemetry").body)
        #expect(row.raw("packetTimestamp") == shown)
        #expect(row.raw("value") == "4.05")
    }
}
