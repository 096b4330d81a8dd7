import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// What a person sees who adds rules: the examples, how many nodes they watch, a name that no node has, what is so already, what
/// other rules tell; and what would arrive.
@Test func aRuleSaysWhatIsSoAlready() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": file]
    func type(_ words: String..., exitCode: Int32 = 0) throws -> (output: String, errors: String) {
        let command = try Program(words, in: folders, environment: environment)
        #expect(try command.exitCode() == exitCode, "\(words): \(command.errors.text)")
        return (command.output.text, command.errors.text)
    }
    func rule(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(folders.root)/rules.d/\(name).conf", atomically: true, encoding: .utf8)
    }
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()

    let examples = try type("rule", "add").output
    for word in ["direct-message", "silent", "health", "battery below 20 %"] {
        #expect(examples.contains(word), "\(examples)")
    }

    // Nobody is a favourite yet; the command that is named makes one, by the same door as the page's star.
    let silent = try type("rule", "add", "silent").errors
    #expect(silent.contains("There are no favourites yet; to make one: mesh-gateway node NODE --favourite"))
    let node = here.radio.nodes[0]
    #expect(try type("node", node.number.id, "--favourite").output.contains("favorite"))
    try gateway.eventually("the radio is told") {
        here.radio.received.contains { $0.decoded?.port == .admin }
    }
    #expect(try type("node", node.number.id, "--favourite", "--no-favourite", exitCode: 64).errors.contains("exclude"))
    #expect(!(try type("rule", "show", "silent").output.contains("no favourites")))
    #expect(!(try type("node", node.number.id, "--no-favourite").output.contains("favorite")))

    // A value that is so already, with the node's name; and a name that nobody has.
    let device = Telemetry(time: 1_787_300_040, kind: .device, values: [.init("batteryLevel", 10)])
    here.radio.inject(
        MeshPacket(
            from: node.number, to: .broadcast, id: 9_001,
            payload: .decoded(MeshData(port: .telemetry, payload: device.encoded())), rxSNR: 5, rxRSSI: -90,
            hopLimit: 3, hopStart: 3))
    try gateway.eventually("it is reported") {
        try gateway.client.get("/api/v1/nodes").text.contains("\"batteryLevel\":10,")
    }
    let added = try type("rule", "add", "battery", "--name", "low", "--node", node.number.id + ", Nobdy").errors
    #expect(added.contains("Already so for 1 node: "), "\(added)")
    #expect(added.contains("told when it begins again.") && added.contains("No node is called \"Nobdy\""))
    #expect(added.contains("It watches 1 node now."))
    #expect(try type("rule", "show", "low").output.contains("already so when the rule was read"))

    // health beside other rules, and without its four.
    let health = try type("rule", "add", "health").errors
    #expect(health.contains("health-battery is for the others: node = not \(node.number.id), Nobdy, beside low."))
    #expect(health.contains("health-silent: It watches ") && health.components(separatedBy: "Written: ").count == 5)
    #expect(try type("rule", "remove", "health").errors.components(separatedBy: "Removed: ").count == 5)
    try rule("all", "when = battery below 20 %\n")
    let refused = try type("rule", "add", "battery", exitCode: 73).errors
    #expect(refused.contains("the rule all tells this already") && refused.contains("node = not favourites"))
    #expect(refused.contains("--name my-battery"))
    _ = try type("rule", "add", "battery", "--name", "my-battery")
    #expect(try type("rule", "add", "health").errors.contains("Not written: health-battery. The rule all watches"))
    #expect(try type("rule", "remove", "health").errors.components(separatedBy: "Removed: ").count == 4)
    #expect(try type("rule", "remove", "health", exitCode: 66).errors.contains("there is no"))

    // What would arrive, in the feed and at a target.
    try rule("direct", "when = direct message\ntell = phone\nquiet = 22:00-7:00\n")
    let event = try folders.file(
        "event", "{\"kind\": \"message\", \"fromNodeId\": \"\(node.number.id)\", \"channel\": -1, \"text\": \"psst\"}")
    #expect(try type("rule", "test", "direct", "--event", event).output.contains("  Direct message from "))
    #expect(try type("rule", "test", "direct", "--event", event).output.contains("\n  psst\n"))
    let sent = try type("rule", "test", "direct", "--event", event, "--target", "phone").output
    #expect(sent.contains("  Direct message from ") && !sent.contains("psst") && sent.contains("22:00 to 7:00"))
    #expect(
        try type("rule", "test", "direct", "--target", "mail", exitCode: 65).errors.contains("write: tell = mail"))
    try gateway.program.stop()
}
