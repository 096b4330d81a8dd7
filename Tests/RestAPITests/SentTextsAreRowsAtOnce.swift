import Gateway
import Glibc
import MeshModel
import Nettle
import RadioLink
import RadioSimulator
import Routes
import Testing

@testable import RestAPI

/// Posting with a radio: a simulated one behind the real link, session, gateway and store.
@Suite struct SentTextsAreRowsAtOnce {
    /// A gateway whose radio is live, with a silent mesh that runs ten times as fast as a real one.
    final class Live {
        let radio: SimulatedRadio
        let test: TestGateway

        init(
            region: UInt32 = 3, pace: SendingPace = .radio, policy: ClientPolicy = ClientPolicy(),
            rules: FolderDoor = .noRules, brokers: FolderDoor = .noBrokers, targets: FolderDoor = .noTargets
        ) throws {
            var options = SimulatorOptions()
            options.chatter = 0
            options.timeScale = 10
            options.limitsRates = false
            options.region = region
            let radio = try SimulatedRadio(options)
            self.radio = radio
            radio.start()
            test = try TestGateway(
                policy: policy, pace: pace, rules: rules, brokers: brokers, targets: targets
            ) { delegate in
                RadioLink(address: .connection(name: "simulated"), connect: { try radio.connect() }, delegate: delegate)
            }
            test.gateway.start()
            let (gateway, id) = (test.gateway, test.id)
            try #require(eventually { gateway.status(of: id).link == .live })
        }

        deinit {
            test.gateway.stop()
            radio.stop()
        }

        /// Asks for a row until it is as wanted.
        func row(_ id: String, becomes wanted: String) throws -> Bool {
            try eventually { try test.get("/api/v1/messages/\(id)").data["deliveryState"] as? String == wanted }
        }
    }

    @Test func aChannelMessage() throws {
        let live = try Live()
        let answer = try live.test.post("/api/v1/messages", #"{"text":" Grüezi 👋 ","channel":0}"#)
        #expect(answer.status == 201)
        #expect(JSONText(answer.body).keys == ["success", "data"])
        let data = try answer.data
        let packetID = try #require(data["requestId"] as? UInt32)
        let id = try #require(data["messageId"] as? String)
        #expect(
            answer.text == #"{"success":true,"data":{"messageId":"\#(id)","requestId":\#(packetID),"#
                + #""deliveryState":"pending","messageCount":1,"text":"Grüezi 👋","channel":0,"toNodeId":"broadcast"}}"#)
        #expect(id == "\(live.test.uuid)_\(live.radio.number.rawValue)_\(packetID)")

        let row = try #require(try live.test.get("/api/v1/messages?channel=0").rows.first)
        #expect(row["id"] as? String == id)
        #expect(row["requestId"] as? UInt32 == packetID)
        #expect(row["fromNodeId"] as? String == live.radio.number.id)
        #expect(row["toNodeId"] as? String == "broadcast")
        #expect(row["text"] as? String == "Grüezi 👋")

        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.id == packetID })
        #expect(sent.to == .broadcast)
        #expect(sent.decoded?.payload == Array("Grüezi 👋".utf8))
        #expect(try live.row(id, becomes: "delivered"))
        let timestamp = try live.test.get("/api/v1/messages/\(packetID)").data["timestamp"] as? Int64
        #expect(timestamp == row["timestamp"] as? Int64)
    }

    @Test func aDirectMessage() throws {
        let live = try Live()
        let hiker = try #require(live.radio.nodes.first).number
        let answer = try live.test.post(
            "/api/v1/sources/default/messages", #"{"text":"On my way","toNodeId":"\#(hiker.id)","replyId":77}"#)
        #expect(answer.status == 201)
        let data = try answer.data
        #expect(data["channel"] as? Int == -1)
        #expect(data["toNodeId"] as? String == hiker.id)
        let id = try #require(data["messageId"] as? String)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.id == data["requestId"] as? UInt32 })
        #expect(sent.to == hiker)
        #expect(sent.pkiEncrypted)
        #expect(sent.decoded?.replyID == 77)
        #expect(try live.row(id, becomes: "confirmed"))
        let row = try live.test.get("/api/v1/messages/\(id)").data
        #expect(row["channel"] as? Int == -1)
        #expect(row["replyId"] as? Int == 77)
        #expect(row["ackFromNode"] as? UInt32 == hiker.rawValue)
    }

    /// For clients that compare; rows have the one form.
    @Test(arguments: [("!abc", "!00000abc"), ("!ABCDEF12", "!abcdef12"), ("!0000000abc", "!00000abc")])
    func theAnswerNamesTheNodeAsItWasGiven(_ given: String, _ id: String) throws {
        let live = try Live()
        let text = String(repeating: "x", count: 150) + " " + String(repeating: "y", count: 150)
        let one = try live.test.post("/api/v1/messages", #"{"text":"hi","toNodeId":"\#(given)"}"#)
        let parts = try live.test.post("/api/v1/messages", #"{"text":"\#(text)","toNodeId":"\#(given)"}"#)
        #expect((one.status, parts.status) == (201, 202))
        for answer in [one, parts] { #expect(try answer.data["toNodeId"] as? String == given) }
        let rows = try live.test.get("/api/v1/messages?channel=-1").rows
        #expect(rows.map { $0["toNodeId"] as? String } == [id, id, id])
    }

    @Test func aMessageToANodeWithoutAKeyFails() throws {
        let live = try Live()
        let old = live.radio.nodes[4].number
        let answer = try live.test.post("/api/v1/messages", #"{"text":"hello","toNodeId":"\#(old.id)"}"#)
        #expect(answer.status == 201)
        let id = try #require(try answer.data["messageId"] as? String)
        #expect(try live.row(id, becomes: "failed"))
        let row = try live.test.get("/api/v1/messages/\(id)").data
        #expect(row["ackFailed"] as? Int == 1)
        #expect(row["routingErrorCode"] as? Int == 39)
    }

    @Test func oneEmojiAsAReplyIsATapback() throws {
        let live = try Live()
        let answer = try live.test.post("/api/v1/messages", #"{"text":"🎉","channel":0,"replyId":4000000000}"#)
        let packetID = try #require(try answer.data["requestId"] as? UInt32)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.id == packetID })
        #expect(sent.decoded?.emoji == 1)
        #expect(sent.decoded?.replyID == 4_000_000_000)
        let row = try live.test.get("/api/v1/messages/\(packetID)").data
        #expect(row["emoji"] as? Int == 1)
        #expect(row["text"] as? String == "🎉")
    }

    @Test func aLongTextGoesInParts() throws {
        let live = try Live()
        let text = String(repeating: "x", count: 150) + " " + String(repeating: "y", count: 150)
        let answer = try live.test.post("/api/v1/messages", #"{"text":"\#(text)","channel":1,"replyId":5}"#)
        #expect(answer.status == 202)
        let data = try answer.data
        #expect(data["deliveryState"] as? String == "queued")
        #expect(data["messageCount"] as? Int == 2)
        #expect(data["text"] as? String == text)
        #expect(data["messageId"] == nil)
        #expect(data["requestId"] == nil)
        let queueIDs = try #require(data["queueIds"] as? [String])
        #expect(queueIDs.count == 2)
        for id in queueIDs { #expect(try #/[0-9]{13}-[0-9a-z]{9}/#.wholeMatch(in: id) != nil) }
        let rows = try live.test.get("/api/v1/messages?channel=1").rows
        #expect(rows.map { $0["id"] as? String } == (data["messageIds"] as? [String])?.reversed())
        #expect(rows.map { $0["text"] as? String } == [String(text.suffix(150)), String(text.prefix(150))])
        #expect(rows.map { $0["replyId"] as? Int } == [nil, 5])
        // Emacs reads whole seconds, sorts by them and would draw two parts of one second the wrong way round.
        let times = try rows.map { try #require($0["timestamp"] as? Int64) }
        #expect(times[0] / 1_000 > times[1] / 1_000)
        #expect(times[0] == rows[0]["createdAt"] as? Int64)
    }

    @Test func theStatusShowsTheRadio() throws {
        let live = try Live()
        let status = try live.test.get("/api/v1/status").data
        #expect(status["connected"] as? Bool == true)
        #expect(status["nodeResponsive"] as? Bool == true)
        #expect(status["localNodeId"] as? String == live.radio.number.id)
        #expect(status["localNodeNum"] as? UInt32 == live.radio.number.rawValue)
        #expect((status["longName"] as? String)?.isEmpty == false)
        let open = try live.test.ask("GET", "/api/status").json["connection"] as? [String: Any]
        #expect(open?["connected"] as? Bool == true)
        #expect((open?["localNode"] as? [String: Any])?["nodeId"] as? String == live.radio.number.id)
        #expect(try live.test.get("/api/v1/channels").rows.first?["name"] as? String == "LongFast")

        // Unplugged: still the same radio, but nothing is sent.
        live.radio.unplug()
        let (gateway, id) = (live.test.gateway, live.test.id)
        #expect(eventually { !gateway.status(of: id).isConnected })
        let after = try live.test.get("/api/v1/status").data
        #expect(after["connected"] as? Bool == false)
        #expect(after["nodeResponsive"] as? Bool == false)
        #expect(after["localNodeId"] as? String == live.radio.number.id)
        #expect(try live.test.post("/api/v1/messages", #"{"text":"a","channel":0}"#).status == 503)
    }

    @Test func noKeyOfTheRadioIsShown() throws {
        let live = try Live()
        for path in ["", "/sources", "/status", "/channels", "/nodes", "/messages"] {
            let text = try live.test.get("/api/v1" + path).text
            #expect(!text.contains(Base64.encoded(live.radio.privateKey)))
            #expect(!text.contains("\"psk\""))
        }
    }
}

/// Whether something becomes true within a minute.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<12_000 {
        if try condition() { return true }
        usleep(5000)
    }
    return false
}
