import MeshModel
import Testing

@testable import RestAPI

@Suite struct APostWithoutARadioIsCheckedAndThenRefused {
    private func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func inTheContractsOrder() throws {
        let test = try TestGateway()
        for path in ["/api/v1/messages", "/api/v1/sources/default/messages", "/api/v1/sources/\(test.uuid)/messages/"] {
            let refused = try test.post(path, #"{"text":" ","channel":0}"#)
            #expect(refused.status == 400)
            #expect(
                refused.text == #"{"success":false,"error":"Bad Request","message":"Message text is required"}"#)
            let long = try test.post(path, #"{"text":"\#(x(601))","channel":0}"#)
            #expect(long.status == 413)
            #expect(
                long.text == #"{"success":false,"error":"Payload Too Large","message":"Message too long. Would "#
                    + #"require 4 parts but maximum is 3 parts (~600 bytes)"}"#)
            for count in [1, 200, 201, 600] {
                let absent = try test.post(path, #"{"text":"\#(x(count))","channel":0}"#)
                #expect(absent.status == 503)
                #expect(
                    absent.text == #"{"success":false,"error":"Service Unavailable","#
                        + #""message":"Not connected to Meshtastic node"}"#)
            }
        }
        // Nothing was accepted, so nothing may appear.
        #expect(try test.get("/api/v1/messages").rows.isEmpty)
    }

    /// content type, body -> status
    @Test(arguments: [
        ("application/json", #"{"text":"a","channel":0}"#, 503), ("text/plain", #"{"text":"a","channel":0}"#, 503),
        ("", #"{"text":"a","channel":0}"#, 503),
        ("application/x-www-form-urlencoded", #"{"text":"a","channel":0}"#, 503),  // curl -d without a header
        ("application/x-www-form-urlencoded", "text=a+b%21&channel=0", 503),
        ("application/x-www-form-urlencoded; charset=utf-8", "text=a&toNodeId=%21abcdef12", 503),
        ("application/x-www-form-urlencoded", "text=a&channel=0&replyId=5", 400),  // a text is no number
        ("application/x-www-form-urlencoded", "channel=0", 400), ("application/x-www-form-urlencoded", "&&==%zz", 400),
        ("text/plain", "hello", 400), ("multipart/form-data; boundary=x", "--x--", 400), ("application/json", "", 400),
        ("application/json", "[]", 400),
    ])
    func bodies(_ type: String, _ body: String, _ status: Int) throws {
        let answer = try TestGateway().post("/api/v1/messages", body, type: type)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.message?.isEmpty == false)
    }
}
