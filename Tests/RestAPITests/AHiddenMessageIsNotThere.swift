import HTTPServer
import Testing

@testable import RestAPI

/// One that a token may not read is answered as one that does not exist.
@Suite struct AHiddenMessageIsNotThere {
    @Test(arguments: ["", "/details"]) func byEachOfItsIDs(_ tail: String) throws {
        let test = try TestGateway()
        let hidden = try test.insert("secret", packetID: 4711, at: TestGateway.now) { $0.channel = 1 }
        let token = try test.token(["messages:read", "messages:write", "channel_0:read", "channel_0:write"])
        for id in [hidden.id, "4711", "\(hidden.from.rawValue)_4711", "4712", "\(hidden.from.rawValue)_4712"] {
            let answer = try test.ask("GET", "/api/v1/messages/\(id)\(tail)", as: token)
            #expect(answer.status == 404)
            #expect(answer.text == #"{"success":false,"error":"Not Found","message":"Message \#(id) not found"}"#)
            for action in ["resend", "cancel"] {
                let refused = try test.ask("POST", "/api/v1/messages/\(id)/\(action)", as: token, "{}")
                #expect(refused.status == 404 && refused.message == "Message \(id) not found", "\(refused.text)")
            }
        }
        let reader = try test.token(["messages:read", "channel_1:read"])
        #expect(try test.ask("GET", "/api/v1/messages/4711\(tail)", as: reader).status == 200)
    }

    /// It tells nothing: the token asks for a channel, not for what is on it.
    @Test func aChannelIsRefusedByItsName() throws {
        let test = try TestGateway()
        let token = try test.token(["messages:read", "channel_0:read"])
        let answer = try test.ask("GET", "/api/v1/messages?channel=1", as: token)
        #expect(answer.status == 403)
        #expect(try answer.json["required"] as? [String: String] == ["resource": "channel_1", "action": "read"])
    }
}
