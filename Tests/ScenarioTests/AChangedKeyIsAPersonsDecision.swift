import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

private func node(_ number: NodeNumber, _ gateway: ServedGateway) throws -> JSON {
    try gateway.client.get("/api/v1/nodes/\(number.id)").data
}

private func base64(_ key: PublicKey?) -> JSON { key.map { .string(Data($0.bytes).base64EncodedString()) } ?? .null }

/// A gateway whose radio is in the test's hands, and knows the keys of all nodes.
private func served(
    _ here: RadioHere, in folders: Folders, environment: [String: String] = [:]
) throws -> ServedGateway {
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize()
    try gateway.waitUntilLive()
    try gateway.eventually("the nodes are known") {
        try node(here.radio.nodes[0].number, gateway)["hasPKC"] == true
    }
    return gateway
}

@Test func aChangedKeyIsAPersonsDecision() throws {
    let (folders, here) = (try Folders(), try RadioHere())
    let gateway = try served(here, in: folders)
    let hiker = here.radio.nodes[0]
    let (id, old) = (hiker.number.id, hiker.publicKey)
    let message: JSON = ["text": "Are you there?", "toNodeId": .string(id)]

    let new = here.radio.changeKey(of: hiker.number)
    _ = try gateway.program.errors.line(containing: "key-changed")
    let changed = try gateway.eventually("the other key is shown") {
        let row = try node(hiker.number, gateway)
        return row["keyMismatchDetected"] == true ? row : nil
    }
    #expect(changed["publicKey"] == base64(old) && changed["lastMeshReceivedKey"] == base64(new))
    #expect(changed["keySecurityIssueDetails"].string?.contains("Another key") == true)
    let refused = try gateway.client.post("/api/v1/messages", message)
    #expect(refused.status == 409)
    #expect(try refused.json["code"] == "KEY_MISMATCH")
    #expect(try refused.json["message"].string?.contains("mesh-gateway keys verify '\(id)'") == true)
    #expect(here.texts.isEmpty)

    let list = try Program.run("keys", "list", in: folders)
    let first = list.output.split(separator: "\n").dropFirst().first ?? ""
    #expect(first.contains(id) && first.contains("changed"), "what needs a person comes first")
    let shown = try Program.run("keys", "verify", id, in: folders)
    #expect(shown.output.contains(base64(old).string ?? "?") && shown.output.contains(base64(new).string ?? "?"))
    #expect(try node(hiker.number, gateway)["keyMismatchDetected"] == true, "to look changes nothing")

    let accepted = try Program.run("keys", "accept", hiker.longName, in: folders)
    #expect(accepted.code == 0 && accepted.output.contains(base64(new).string ?? "?"), "\(accepted.errors)")
    #expect(try node(hiker.number, gateway)["publicKey"] == base64(new))
    #expect(try node(hiker.number, gateway)["keyMismatchDetected"] == false)
    let sent = try gateway.post(message)
    _ = try gateway.message(sent["messageId"], becoming: "confirmed")
    let radio = here.radio.nodes[0]
    #expect(radio.publicKey == new && !radio.isFavorite)
    #expect(here.radio.received.last { $0.to == hiker.number }?.publicKey == new)
    try gateway.program.stop()
    #expect(gateway.program.errors.text.split(separator: "\n").count { $0.contains("key-changed") } == 1)

    // Without a daemon there is nobody to tell the radio.
    let offline = try Program.run("keys", "list", "--full", "--json", in: folders)
    #expect(offline.code == 0 && offline.output.contains(base64(new).string ?? "?"))
    #expect(try Program.run("keys", "verify", id, in: folders).output.contains(base64(new).string ?? "?"))
    #expect(try Program.run("keys", "verify", id, "--yes", in: folders).code == 69)
    #expect(try Program.run("keys", "accept", id, in: folders).code == 69)
}

@Test func theKnownKeyMayBeTheRightOne() throws {
    let (folders, here) = (try Folders(), try RadioHere())
    let gateway = try served(here, in: folders)
    let hiker = here.radio.nodes[0]
    // Somebody announces a key of his own in its name.
    func forge(_ first: UInt8, id: PacketID) throws {
        var forged = try #require(hiker.user)
        forged.publicKey = PublicKey((first..<first + 32).map { UInt8($0) })
        let data = MeshData(port: .nodeInfo, payload: forged.encoded(), bitfield: 1)
        here.radio.inject(
            MeshPacket(
                from: hiker.number, to: .broadcast, id: id, payload: .decoded(data), rxSNR: 5, rxRSSI: -80,
                hopLimit: 3, hopStart: 3, transport: .lora))
    }
    try forge(1, id: 4711)
    _ = try gateway.program.errors.line(containing: "key-changed")
    let verified = try Program.run("keys", "verify", hiker.number.id, "--yes", in: folders)
    #expect(verified.code == 0 && verified.output.contains("compared in person"), "\(verified.errors)")
    let sent = try gateway.post(["text": "It is you", "toNodeId": .string(hiker.number.id)])
    _ = try gateway.message(sent["messageId"], becoming: "confirmed")
    #expect(here.radio.nodes[0].isKeyManuallyVerified)
    #expect(try Program.run("keys", "accept", hiker.number.id, in: folders).code == 65)

    // Another one asks nobody again.
    try forge(2, id: 4712)
    _ = try gateway.program.errors.line(containing: "key-announced")
    try gateway.eventually("the other key is shown") {
        try node(hiker.number, gateway)["keyMismatchDetected"] == true
    }
    #expect(try node(hiker.number, gateway)["isInDoubt"] == .null)
    #expect(try gateway.client.get("/api/v1/problems").data == .array([]))
    let doubted = try Program.run("nodes", "--filter", "doubted", "--json", in: folders).output
    #expect(try JSONDecoder().decode(JSON.self, from: Data(doubted.utf8))["nodes"] == .array([]))
    #expect(
        try gateway.client.post("/api/v1/messages", ["text": "Still you", "toNodeId": .string(hiker.number.id)]).status
            == 201)
    try gateway.program.stop()
}

@Test func aWrongKeyInTheRadioIsAnErrorAndNoLeak() throws {
    let (folders, here) = (try Folders(), try RadioHere())
    let gateway = try served(here, in: folders)
    let hiker = here.radio.nodes[0].number
    here.radio.swapKey(of: hiker)
    let sent = try gateway.post(["text": "for you alone", "toNodeId": .string(hiker.id)])
    let failed = try gateway.message(sent["messageId"], becoming: "failed")
    #expect(failed["routingErrorCode"] == 34)  // PKI_FAILED
    #expect(try node(hiker, gateway)["keyMismatchDetected"] == true)
    try gateway.program.stop()
}

@Test func aNodeIsReachedUnderItsNewNumber() throws {
    let (folders, here) = (try Folders(), try RadioHere { $0.firmware = .v2_7 })
    let gateway = try served(here, in: folders)
    let old = here.radio.nodes[0].number
    let new = here.radio.renumber(old)
    _ = try gateway.program.errors.line(containing: "node-renumbered")
    let sent = try gateway.post(["text": "still you?", "toNodeId": .string(old.id)])
    #expect(sent["toNodeId"] == .string(new.id))
    _ = try gateway.message(sent["messageId"], becoming: "confirmed")
    for (number, other) in [(old, new), (new, old)] {
        let row = try node(number, gateway)
        #expect(row["duplicateKeyDetected"] == false && row["keyMismatchDetected"] == false)
        #expect(row["keySecurityIssueDetails"].string?.contains(other.id) == true)
    }
    try gateway.program.stop()
}
