import MeshModel
import MeshProtocol
import Testing

/// What MeshMonitor 4.15.1 showed of packets in the recordings (`decoded_payload`), with numbers as short as they can be.
@Suite struct APayloadIsShownAsJSON {
    static let shown: [(recording: String, packets: [(id: PacketID, json: String)])] = [
        ("03-chat-channel", [(4_048_587_643, "[]"), (520_370_946, #""❤️""#)]),
        (
            "05-telemetry-position",
            [
                (
                    2_222_821_540,
                    #"{"latitudeI":481361920,"longitudeI":115802112,"altitude":519,"time":1795245363,"#
                        + #""locationSource":"LOC_INTERNAL","timestamp":1795245363,"PDOP":180,"HDOP":110,"#
                        + #""groundSpeed":13,"groundTrack":27000000,"fixQuality":1,"fixType":3,"satsInView":9,"#
                        + #""seqNumber":42,"precisionBits":15}"#
                ),
                (
                    4_042_629_222,
                    #"{"time":1795245373,"hostMetrics":{"uptimeSeconds":99999,"freememBytes":"8589934592","#
                        + #""diskfree1Bytes":"1000000000000","load1":150,"load5":90,"load15":20,"#
                        + #""userString":"raspi \"x\""}}"#
                ),
                (
                    3_695_314_418,
                    #"{"time":1795245362,"airQualityMetrics":{"pm10Standard":5,"pm25Standard":12,"#
                        + #""pm100Standard":20,"pm10Environmental":6,"particles_03um":1200,"co2":640,"#
                        + #""co2Temperature":22.5,"pmVocIdx":101.5}}"#
                ),
                (
                    898_306_660,
                    #"{"time":1795245372,"healthMetrics":{"heartBpm":72,"spO2":98,"temperature":36.6}}"#
                ),
                (
                    406_713_210,
                    #"{"nodeId":1218630382,"lastSentById":4276252860,"nodeBroadcastIntervalSecs":14400,"neighbors":["#
                        + #"{"nodeId":4276252860,"snr":9.5},{"nodeId":3221447466,"snr":-3.25},"#
                        + #"{"nodeId":672177631},{"nodeId":4274890370,"snr":-12.75},{"nodeId":2011117137,"snr":6}]}"#
                ),
                (
                    1_350_239_310,
                    #"{"rr":"ROUTER_STATS","stats":{"messagesTotal":100,"messagesSaved":50,"messagesMax":1000,"#
                        + #""upTime":3600,"requests":3,"requestsHistory":2,"heartbeat":true,"returnMax":25,"#
                        + #""returnWindow":240}}"#
                ),
                (3_674_511_442, #"{"rr":"ROUTER_TEXT_BROADCAST","text":"dmVyZ2Vzc2VuZSBOYWNocmljaHQ="}"#),
                (2_068_779_857, #"{"status":"Auf Streife 🚤"}"#),
                (1_426_361_156, #"{"0":192,"1":222,"2":194,"3":97,"4":117,"5":100,"6":105,"7":111}"#),
                (1_387_602_466, #"{"0":115,"1":101,"2":113,"3":32,"4":50}"#),
            ]
        ),
        (
            "06-traceroute",
            [
                (
                    4_176_531_915,
                    #"{"route":[3031411538,1864094058],"snrTowards":[15,3,25],"routeBack":[1864094058,3031411538],"#
                        + #""snrBack":[28,27,5]}"#
                ), (3_638_364_525, #"{"deviceMetrics":{}}"#),
            ]
        ),
        (
            "17-new-nodes",
            [
                (
                    812_795_584,
                    #"{"id":"!4d846c67","longName":"DL6c67","shortName":"6c67","macaddr":"AABNhGxn","hwModel":999,"#
                        + #""publicKey":"toP8b3tMqRZhVEBigO3LABMqY6L7mRt2U7qVGnN3QOA="}"#
                )
            ]
        ),
        ("27-mixed-27", [(1_356_793_553, "{}")]),
    ]

    @Test(arguments: shown)
    func asMeshMonitorShowsIt(_ name: String, _ expected: [(id: PacketID, json: String)]) throws {
        let packets = try Recording(name: name).listen().messages.compactMap { message -> MeshPacket? in
            if case .packet(let packet) = message { packet } else { nil }
        }
        for (id, json) in expected {
            let data = try #require(packets.first { $0.id == id }?.decoded, "\(id)")
            #expect(try #require(DecodedPayload(data)).json == json)
        }
    }

    private func json(_ port: PortNumber, _ hex: String) -> String? {
        DecodedPayload(MeshData(port: port, payload: bytes(hex)))?.json
    }

    @Test func everyTypeHasItsForm() {
        // A negative number, the last of two, an unknown field, a zero that was sent.
        #expect(
            json(.position, "0d ff ff ff ff 18 05 18 ff ff ff ff ff ff ff ff ff 01 f8 7f 01 78 00")
                == #"{"latitudeI":-1,"altitude":-1,"groundSpeed":0}"#)
        // Not all numbers are numbers in JSON.
        #expect(json(.telemetry, "1a 05 0d 00 00 c0 7f") == #"{"environmentMetrics":{"temperature":"NaN"}}"#)
        #expect(json(.telemetry, "1a 05 0d 00 00 80 ff") == #"{"environmentMetrics":{"temperature":"-Infinity"}}"#)
        // One after the other, and packed.
        #expect(json(.traceroute, "0d 01 00 00 00 0a 08 02 00 00 00 03 00 00 00") == #"{"route":[1,2,3]}"#)
        #expect(json(.traceroute, "0a 00") == "{}")
        // Of two that exclude each other the later one holds.
        #expect(json(.telemetry, "12 02 08 57 1a 00") == #"{"environmentMetrics":{}}"#)
        #expect(json(.routing, "18 05") == #"{"errorReason":"MAX_RETRANSMIT"}"#)
        #expect(json(.routing, "18 4d") == #"{"errorReason":77}"#)
    }

    @Test func whatIsNoMessageIsBytes() {
        #expect(json(.position, "0d 01") == #"{"0":13,"1":1}"#, "cut short")
        #expect(json(.position, "08 01") == #"{"0":8,"1":1}"#, "another type")
        #expect(json(.traceroute, "0a 03 01 02 03") == #"{"0":10,"1":3,"2":1,"3":2,"4":3}"#, "half a number")
        #expect(json(.mapReport, "0a 00") == #"{"0":10,"1":0}"#)
        #expect(json(.privateApp, "") == "[]")
    }

    @Test func strangersBreakNothing() {
        #expect(json(.textMessage, "ff 41 00 0d 0a 22") == #""\#u{FFFD}A\#u{FFFD}\n\"""#)
        #expect(json(.nodeInfo, "12 02 c3 28") == #"{"longName":"\#u{FFFD}("}"#)
        #expect(json(.nodeStatus, "0a ff ff ff ff 0f") == #"{"0":10,"1":255,"2":255,"3":255,"4":255,"5":15}"#)
        let long = { (count: Int) in
            DecodedPayload(MeshData(port: .privateApp, payload: Array(repeating: 1, count: count)))
        }
        #expect(long(512) != nil && long(513) == nil, "longer than any frame")
        var random = Seeded(1)
        for _ in 0..<20_000 {
            let payload = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let port: UInt32 = [3, 4, 5, 8, 34, 36, 65, 67, 70, 71].randomElement(using: &random)!
            let data = MeshData(port: PortNumber(rawValue: port), payload: payload)
            #expect(DecodedPayload(data) != nil)
        }
    }

    @Test func administrationIsShownToNobody() {
        #expect(json(.admin, "08 01") == nil)
        #expect(json(.admin, "") == nil)
    }
}

extension DecodedPayload {
    /// Compact, in its own order.
    fileprivate var json: String {
        switch self {
        case .object(let members):
            return "{" + members.map { "\"\($0.name)\":\($0.value.json)" }.joined(separator: ",") + "}"
        case .list(let elements): return "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .text(let text):
            let escaped = text.flatMap { character -> String in
                switch character {
                case "\"": "\\\""
                case "\n": "\\n"
                default: String(character)
                }
            }
            return "\"" + String(escaped) + "\""
        case .integer(let number): return "\(number)"
        case .number(let number): return number == number.rounded() ? "\(Int(number))" : "\(number)"
        case .flag(let flag): return "\(flag)"
        case .octets(let bytes):
            let members = bytes.enumerated().map { "\"\($0.offset)\":\($0.element)" }
            return members.isEmpty ? "[]" : "{" + members.joined(separator: ",") + "}"
        }
    }
}
