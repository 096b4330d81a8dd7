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

    let shown = try gateway.everyAnswer() + commands(in: folders)
    // A token that may do everything sees channels' keys, and nothing else that is secret.
    try gateway.authorize(as: "owner", scopes: ["admin"])
    let shownToOwner = try gateway.everyAnswer()
    // While it runs, for the write-ahead log, and after the end.
    var places = [
        ("the API and the commands", shown), ("files while it runs", try folders.contents()),
        ("the API for its owner", shownToOwner),
    ]
    try gateway.program.stop()
    places.append(("files", try folders.contents() + commands(in: folders)))
    places.append(("the log", gateway.program.errors.data + gateway.program.output.data))

    // The tests would see a key: the public one is stored and shown.
    let publicKey = Data(here.radio.publicKey.bytes)
    for place in [1, 3] { #expect(places[place].1.range(of: publicKey) != nil) }
    for place in [0, 2] { #expect(places[place].1.range(of: publicKey.base64EncodedData()) != nil) }

    let privateKey = Data(here.radio.privateKey)
    let channelKey = Data(0x40..<0x60)
    for (place, content) in places {
        #expect(privateKey.forms.allSatisfy { content.range(of: $0) == nil }, "the private key is in \(place)")
        for password in SimulatedRadio.passwords {
            #expect(content.range(of: Data(password.utf8)) == nil, "a password is in \(place)")
        }
        // A channel's key has its place in the database, nowhere else.
        if place.contains("files") || place.contains("owner") { continue }
        #expect(channelKey.forms.allSatisfy { content.range(of: $0) == nil }, "a channel's key is in \(place)")
    }
}

/// A key is found however it is written down, alone or amid other bytes.
@Test func aKeyIsFoundInEveryForm() {
    let key = Data((0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) })
    let around = Data("around".utf8)
    var written = [
        around + key + around, Data("\(Array(key))".utf8), Data(key.map { "\($0)" }.joined(separator: ",").utf8),
    ]
    for shift in 0..<3 { written.append((Data(repeating: 0xA5, count: shift) + key + around).base64EncodedData()) }
    for format in ["%02x", "%02X", "%02x ", "%02X:", "0x%02x, "] {
        written.append(Data(key.map { String(format: format, $0) }.joined().utf8))
    }
    for (index, place) in written.enumerated() {
        #expect(key.forms.contains { place.range(of: $0) != nil }, "form \(index)")
    }
    #expect(key.forms.allSatisfy { Data(key.reversed()).range(of: $0) == nil })
}

/// What the command line says.
private func commands(in folders: Folders) throws -> Data {
    var said = Data()
    for words in [
        ["status"], ["status", "--json"], ["token", "list"], ["token", "list", "--json"], ["keys", "list", "--full"],
        ["keys", "list", "--full", "--json"], ["ports"], ["ports", "--json"], ["nodes"], ["nodes", "--json"],
        ["node", "SIM"], ["node", "SIM", "--json"], ["channels", "--all"], ["channels", "--json"],
        ["doctor"], ["doctor", "--json"],
    ] {
        let program = try Program(words, in: folders)
        _ = try program.exitCode()
        said += program.output.data + program.errors.data
    }
    return said
}

extension ServedGateway {
    /// What the documented GET endpoints answer, whatever that is.
    func everyAnswer() throws -> Data {
        let document = try client.get("/api/v1/docs/openapi.json").json
        guard case .object(let paths) = document["paths"] else { throw CocoaError(.coderReadCorrupt) }
        let nodes = try client.get("/api/v1/nodes").data.rows
        let message = try messages().first
        var all = Data()
        for (path, operations) in paths where operations["get"] != .null {
            // What a stream shows are rows of the others.
            if operations["get"].isStream { continue }
            var path = path.replacingOccurrences(of: "{sourceId}", with: "default")
            path = path.replacingOccurrences(of: "{messageId}", with: message?["id"].string ?? "1")
            path = path.replacingOccurrences(of: "{channelId}", with: "2")
            if path.contains("{node") {
                for node in nodes {
                    let number = "\(node["nodeNum"].integer ?? 0)"
                    let filled = path.replacingOccurrences(of: "{nodeNum}", with: number)
                        .replacingOccurrences(of: "{nodeId}", with: node["nodeId"].string ?? "?")
                    all += try client.get(filled).body
                }
            } else {
                all += try client.get(path.replacing(/\{[a-zA-Z]+\}/, with: "1")).body
            }
        }
        return all
    }
}

extension Data {
    /// The beginnings of what each way to write it down makes of it: as itself, in base 64 wherever it begins, in
    /// hexadecimal digits of either case with and without something between, and as a list of numbers.
    var forms: [Data] {
        var texts: [String] = []
        for shift in 0..<3 {
            // The characters that hold bits of what stands before and behind are left out.
            let text = (Data(count: shift) + self).base64EncodedString()
            texts.append(String(text.dropFirst([0, 2, 3][shift]).prefix(40)))
        }
        for separator in ["", " ", ":", ", 0x"] {
            let digits = map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(separator: separator)
            texts += [digits, digits.uppercased()]
        }
        for separator in [",", ", "] { texts.append(map { String($0) }.joined(separator: separator)) }
        return [self] + texts.map { Data($0.utf8) }
    }
}

extension Folders {
    /// Every file below, one after the other.
    func contents() throws -> Data {
        var all = Data()
        for name in try FileManager.default.subpathsOfDirectory(atPath: root).sorted() {
            all += FileManager.default.contents(atPath: "\(root)/\(name)") ?? Data()
        }
        return all
    }
}
