import Foundation
import Testing

@testable import RestAPI

@Suite struct AChannelEntryIsCheckedStrictly {
    private static let path = "/api/v1/channel-database"
    private static let length = "PSK must be 1 byte (shorthand), 16 bytes (AES-128), or 32 bytes (AES-256) when decoded"
    private static let noBase64 = "psk must be a valid Base64-encoded string"

    /// The body of a POST, and its refusal.
    @Test(arguments: [
        ("{}", "name is required and must be a string"),
        (#"{"name":"","psk":"AQ=="}"#, "name is required and must be a string"),
        (#"{"name":"  ","psk":"AQ=="}"#, "name is required and must be a string"),
        (#"{"name":7,"psk":"AQ=="}"#, "name is required and must be a string"),
        (#"{"name":"\#(String(repeating: "é", count: 51))","psk":"AQ=="}"#, "name must be at most 100 bytes"),
        (#"{"name":"a\u0007b","psk":"AQ=="}"#, "name must not contain control characters"),
        (#"{"name":"x"}"#, "psk is required and must be a Base64-encoded string"),
        (#"{"name":"x","psk":""}"#, "psk is required and must be a Base64-encoded string"),
        (#"{"name":"x","psk":1}"#, "psk is required and must be a Base64-encoded string"),
        (#"{"name":"x","psk":"!!"}"#, noBase64), (#"{"name":"x","psk":"!!!notbase64!!!"}"#, noBase64),
        (#"{"name":"x","psk":"AQ=="}"#.replacingOccurrences(of: "AQ", with: "AR"), noBase64),
        (#"{"name":"x","psk":"A Q=="}"#, noBase64), (#"{"name":"x","psk":"AQ==AQ=="}"#, noBase64),
        (#"{"name":"x","psk":"AQ==x"}"#, noBase64), (#"{"name":"x","psk":"AQ== x"}"#, noBase64),
        (#"{"name":"x","psk":"AQ==="}"#, noBase64), (#"{"name":"x","psk":"AQ==\u0000"}"#, noBase64),
        (#"{"name":"x","psk":"AQ==é"}"#, noBase64),
        (#"{"name":"x","psk":"AQI="}"#, length), (#"{"name":"x","psk":"EBESExQVFhcYGRobHB0eHxA="}"#, length),
        (
            #"{"name":"x","psk":"AA=="}"#,
            "PSK value 0 means no encryption, which is not supported for channel database"
        ),
        (#"{"name":"x","psk":"AQ==","pskLength":16}"#, "pskLength (16) does not match actual PSK length (1)"),
        (#"{"name":"x","psk":"AQ==","pskLength":"1"}"#, "pskLength must be a number"),
        (#"{"name":"x","psk":"AQ==","description":5}"#, "description must be a string of at most 1000 bytes"),
        (#"{"name":"x","psk":"AQ==","isEnabled":"no"}"#, "isEnabled must be true or false"),
        (#"{"name":"x","psk":"AQ==","enforceNameValidation":1}"#, "enforceNameValidation must be true or false"),
        ("[]", "name is required and must be a string"),
    ]) func whenItIsMade(body: String, message: String) throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        let answer = try test.ask("POST", Self.path, as: admin, body)
        #expect(answer.status == 400 && answer.message == message, "\(answer.text)")
        #expect(try test.ask("GET", Self.path, as: admin).rows.isEmpty)
    }

    /// The body of a PUT, and its refusal.
    @Test(arguments: [
        ("{}", "No valid update fields provided"), (#"{"id":3,"psk":null}"#, "No valid update fields provided"),
        (#"{"name":false}"#, "name must be a string"), (#"{"name":" "}"#, "name must be a string"),
        (#"{"psk":16}"#, "psk must be a Base64-encoded string"), (#"{"psk":""}"#, length), (#"{"psk":"x"}"#, noBase64),
        (#"{"pskLength":16}"#, "pskLength cannot be changed without also providing psk"),
        (#"{"sortOrder":1.5}"#, "sortOrder must be an integer"),
        (#"{"sortOrder":"1"}"#, "sortOrder must be an integer"),
        (#"{"isEnabled":0}"#, "isEnabled must be true or false"),
        (#"{"name":"y","isEnabled":0}"#, "isEnabled must be true or false"),
    ]) func whenItIsChanged(body: String, message: String) throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        let id = try #require(
            try test.ask("POST", Self.path, as: admin, #"{"name":"x","psk":"AQ=="}"#).data["id"] as? Int)
        let before = try test.ask("GET", Self.path, as: admin).text
        let answer = try test.ask("PUT", "\(Self.path)/\(id)", as: admin, body)
        #expect(answer.status == 400 && answer.message == message, "\(answer.text)")
        #expect(try test.ask("GET", Self.path, as: admin).text == before)
    }

    @Test(arguments: [
        ("{}", "channels must be an array"), (#"{"channels":{}}"#, "channels must be an array"),
        (#"{"channels":[]}"#, "At least one channel entry is required"),
        (#"{"channels":[{"sortOrder":1}]}"#, "Each channel entry must have a numeric id"),
        (#"{"channels":[7]}"#, "Each channel entry must have a numeric id"),
        (#"{"channels":[{"id":1,"sortOrder":1},{"id":2}]}"#, "Each channel entry must have a numeric sortOrder"),
    ]) func whenTheOrderIsChanged(body: String, message: String) throws {
        let test = try TestGateway()
        let answer = try test.ask("PUT", Self.path + "/reorder", as: try test.token(["admin"]), body)
        #expect(answer.status == 400 && answer.message == message, "\(answer.text)")
    }

    /// As apps, links and shells write a key; and as it is stored.
    @Test(arguments: [
        ("AQ", "AQ=="), (" AQ==\\n", "AQ=="), ("\\tAQ ", "AQ=="),
        ("-_-_-_-_-_-_-_-_-_-_-w==", "+/+/+/+/+/+/+/+/+/+/+w=="),
        ("-_-_-_-_-_-_-_-_-_-_-w", "+/+/+/+/+/+/+/+/+/+/+w=="),
        ("+/+/+/+/+/+/+/+/+/+/+w", "+/+/+/+/+/+/+/+/+/+/+w=="), ("+_-/+/+/+/+/+/+/+/+/+w", "+/+/+/+/+/+/+/+/+/+/+w=="),
        ("QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8", "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8="),
    ]) func aKeyIsTakenInEachForm(_ given: String, _ stored: String) throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        let made = try test.ask("POST", Self.path, as: admin, #"{"name":"x","psk":"\#(given)"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(try made.data["psk"] as? String == stored)
        let id = try #require(
            try test.ask("POST", Self.path, as: admin, #"{"name":"y","psk":"Ag=="}"#).data["id"] as? Int)
        let changed = try test.ask("PUT", "\(Self.path)/\(id)", as: admin, #"{"psk":"\#(given)"}"#)
        #expect(try changed.data["psk"] as? String == stored)
    }

    @Test func allThreeLengthsAreTaken() throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        for psk in ["AQ==", "EBESExQVFhcYGRobHB0eHw==", "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8="] {
            let answer = try test.ask("POST", Self.path, as: admin, #"{"name":"x","psk":"\#(psk)"}"#)
            #expect(try answer.data["psk"] as? String == psk)
        }
    }
}
