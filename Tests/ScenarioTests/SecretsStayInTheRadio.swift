import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

@Test func secretsStayInTheRadio() throws {
    let folders = try Folders()
    let here = try RadioHere()
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, ["--log-level", "trace"])
    try gateway.authorize()
    try gateway.waitUntilLive()
    let sent = try gateway.post(["text": "something to store", "channel": 0])
    _ = try gateway.message(sent["messageId"], becoming: "delivered")

    var shown = Data()
    for path in [
        "/api/status", "/api/health", "/api/v1/", "/api/v1/sources", "/api/v1/status", "/api/v1/nodes",
        "/api/v1/channels", "/api/v1/channels/0", "/api/v1/messages",
    ] {
        shown += try gateway.client.get(path).body
    }
    shown += try Data(Program.run("status", "--json", in: folders).output.utf8)
    // While it runs, for the write-ahead log, and after the end.
    var places = [("the API and status", shown), ("files while it runs", try folders.contents())]
    try gateway.program.stop()
    places.append(("files", try folders.contents()))
    places.append(("the log", gateway.program.errors.data + gateway.program.output.data))

    // The tests would see a key: the public one is stored and shown.
    let publicKey = Data(here.radio.publicKey.bytes)
    #expect(places[2].1.range(of: publicKey) != nil)
    #expect(places[0].1.range(of: publicKey.base64EncodedData()) != nil)

    let privateKey = Data(here.radio.privateKey)
    let channelKey = Data(0x40..<0x60)
    for (place, content) in places {
        #expect(privateKey.forms.allSatisfy { content.range(of: $0) == nil }, "the private key is in \(place)")
        for password in SimulatedRadio.passwords {
            #expect(content.range(of: Data(password.utf8)) == nil, "a password is in \(place)")
        }
        // A channel's key has its place in the database, nowhere else.
        if place.contains("files") { continue }
        #expect(channelKey.forms.allSatisfy { content.range(of: $0) == nil }, "a channel's key is in \(place)")
    }
}

extension Data {
    /// As itself, in base 64, and in hexadecimal digits of either case.
    fileprivate var forms: [Data] {
        let digits = map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return [self, Data(base64EncodedString().dropLast().utf8), Data(digits.utf8), Data(digits.uppercased().utf8)]
    }
}

extension Folders {
    /// Every file below, one after the other.
    fileprivate func contents() throws -> Data {
        var all = Data()
        for name in try FileManager.default.subpathsOfDirectory(atPath: root).sorted() {
            all += FileManager.default.contents(atPath: "\(root)/\(name)") ?? Data()
        }
        return all
    }
}
