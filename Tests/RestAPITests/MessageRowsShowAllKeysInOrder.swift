import MeshModel
import Testing

@testable import RestAPI

@Suite struct MessageRowsShowAllKeysInOrder {
    static let keys = [
        "id", "fromNodeNum", "toNodeNum", "fromNodeId", "toNodeId", "text", "channel", "portnum", "requestId",
        "timestamp", "rxTime", "hopStart", "hopLimit", "relayNode", "replyId", "emoji", "viaMqtt", "viaStoreForward",
        "xeddsaSigned", "rxSnr", "rxRssi", "ackFailed", "routingErrorReceived", "deliveryState", "wantAck",
        "ackFromNode", "routingErrorCode", "createdAt", "decryptedBy", "sourceId", "sourceIp", "sourcePath",
        "spoofSuspected", "sender", "isAlert",
    ]

    private func row(_ message: Message, details: Bool = false) -> JSONText {
        JSONText { $0.message(message, source: "uuid", for: .localUser, attempts: details ? [] : nil) }
    }

    private func heard() -> Message {
        Message(
            id: "uuid_2882400018_411602817", from: NodeNumber(0xABCD_EF12), to: .broadcast, text: "Good morning mesh",
            channel: 0, packetID: 411_602_817, timestamp: 1_787_300_042_511, createdAt: 1_787_300_042_511,
            updatedAt: 1_787_300_042_511)
    }

    private func own(_ delivery: Delivery, to: NodeNumber = NodeNumber(0xABCD_EF12)) -> Message {
        Message(
            id: "uuid_305419896_2712847316", from: NodeNumber(0x1234_5678), to: to, text: "On my way",
            channel: to.isBroadcast ? 0 : -1, packetID: 2_712_847_316, isOwn: true, timestamp: 1_787_300_095_712,
            rxTime: 1_787_300_095_712, delivery: delivery, createdAt: 1_787_300_095_712, updatedAt: 1_787_300_095_712)
    }

    /// A received packet in which nothing optional was present (Contract 7.24: 0, but rxRssi null).
    @Test func received() throws {
        let row = row(heard())
        #expect(row.keys == Self.keys)
        #expect(
            row.text == #"{"id":"uuid_2882400018_411602817","fromNodeNum":2882400018,"toNodeNum":4294967295,"#
                + #""fromNodeId":"!abcdef12","toNodeId":"!ffffffff","text":"Good morning mesh","channel":0,"portnum":1,"#
                + #""requestId":null,"timestamp":1787300042511,"rxTime":null,"hopStart":0,"hopLimit":0,"relayNode":0,"#
                + #""replyId":null,"emoji":null,"viaMqtt":false,"viaStoreForward":null,"xeddsaSigned":null,"rxSnr":0,"#
                + #""rxRssi":null,"ackFailed":null,"routingErrorReceived":null,"deliveryState":null,"wantAck":null,"#
                + #""ackFromNode":null,"routingErrorCode":null,"createdAt":1787300042511,"decryptedBy":"node","#
                + #""sourceId":"uuid","sourceIp":null,"sourcePath":"tcp_radio","spoofSuspected":null,"sender":null,"isAlert":false}"#
        )
    }

    @Test func ownOnItsWay() throws {
        let row = row(own(Delivery(), to: .broadcast))
        #expect(row.keys == Self.keys)
        #expect(row.raw("toNodeId") == "\"broadcast\"")  // Contract 7.11
        #expect(row.raw("toNodeNum") == "4294967295")
        #expect(row.raw("requestId") == "2712847316")
        #expect(row.raw("deliveryState") == "\"pending\"")
        #expect(row.raw("wantAck") == "true")
        for key in ["hopStart", "hopLimit", "relayNode", "viaMqtt", "rxSnr", "ackFailed", "decryptedBy"] {
            #expect(row.raw(key) == "null", "\(key)")
        }
        #expect(row.raw("sourcePath") == "\"system\"")
    }

    /// state, error, ackFrom -> deliveryState, ackFailed, ackFromNode, routingErrorCode
    @Test(
        arguments: [
            (Delivery.State.queued, nil, "\"pending\"", "null", "null", "null"),
            (.handed, nil, "\"pending\"", "null", "null", "null"),
            (.accepted, nil, "\"pending\"", "null", "null", "null"),
            (.relayed, .maxRetransmit, "\"delivered\"", "null", "null", "null"),
            (.confirmed, nil, "\"confirmed\"", "null", "2882400018", "null"),
            // the number 1, by which alone Emacs shows a failure
            (.failed, .maxRetransmit, "\"failed\"", "1", "null", "5"),
        ] as [(Delivery.State, RoutingError?, String, String, String, String)])
    func states(
        _ state: Delivery.State, _ error: RoutingError?, _ shown: String, _ ackFailed: String, _ ackFrom: String,
        _ code: String
    ) {
        let row = row(own(Delivery(state: state, error: error, ackFrom: NodeNumber(0xABCD_EF12))))
        #expect(row.raw("deliveryState") == shown)
        #expect(row.raw("ackFailed") == ackFailed)
        #expect(row.raw("ackFromNode") == ackFrom)
        #expect(row.raw("routingErrorCode") == code)
        #expect(row.raw("routingErrorReceived") == "null")
    }

    @Test func theDetailsOfAnOwnMessageAreBehindAnExtraKey() throws {
        let row = row(own(Delivery(state: .failed, error: .pkiSendFailPublicKey)), details: true)
        #expect(row.keys == Self.keys + ["delivery"])
        let delivery = try row.value["delivery"]
        #expect(delivery?["state"] == .string("failed"))
        #expect(delivery?["reason"] == .string("this radio does not know the recipient's key"))
        #expect(delivery?["errorCode"] == .number(39))
        #expect(self.row(heard(), details: true).keys == Self.keys)
    }

    /// Everybody on the channel is meant: nobody's key is the reason why it failed.
    @Test(arguments: 1...40 as ClosedRange<UInt32>)
    func aFailedTextOnAChannelIsNotExplainedByARecipient(_ code: UInt32) throws {
        let delivery = Delivery(state: .failed, error: RoutingError(rawValue: code))
        let reason = try row(own(delivery, to: .broadcast), details: true).value["delivery"]?["reason"]
        guard case .string(let text)? = reason else { return #expect(Bool(false), "\(code)") }
        // 36 is about a session with an administered node, which has no channel.
        #expect(!text.contains("recipient") && (code == 36 || !text.contains("key")), "\(code): \(text)")
    }

    @Test func aReactionIsTheNumberOne() {
        var message = heard()
        message.text = "👍"
        message.replyID = 7
        message.isTapback = true
        #expect(row(message).raw("emoji") == "1")
        #expect(row(message).raw("replyId") == "7")
        message.replyID = 0
        #expect(row(message).raw("replyId") == "null")
    }

    @Test func flagsAreBooleansAndNumbersKeepTheirDigits() {
        var message = heard()
        message.viaMQTT = true
        message.viaStoreForward = true
        message.xeddsaSigned = true
        message.spoofSuspected = true
        message.rxSNR = Double(Float(-7.3))
        message.rxRSSI = -110
        message.port = .detectionSensor
        message.text = ""
        let row = row(message)
        for key in ["viaMqtt", "viaStoreForward", "xeddsaSigned", "spoofSuspected"] { #expect(row.raw(key) == "true") }
        #expect(row.raw("rxSnr") == "-7.3")
        #expect(row.raw("rxRssi") == "-110")
        #expect(row.raw("portnum") == "10")
        #expect(row.raw("text") == "\"\"")
    }
}
