import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

private func page(_ words: [String], in folders: Folders) throws -> JSON {
    let command = try Program(words + ["--json"], in: folders)
    #expect(try [0, 69].contains(command.exitCode()), "\(command.errors.text)")
    return try JSONDecoder().decode(JSON.self, from: command.output.data)
}

/// What a command shows on a screen so many cells wide.
private func screen(_ words: [String], width: Int, in folders: Folders) throws -> [String] {
    let command = try Program(words, in: folders, environment: ["COLUMNS": "\(width)"])
    #expect(try command.exitCode() == 0, "\(command.errors.text)")
    return command.output.text.split(separator: "\n").map(String.init)
}

@Test func theMeshIsReadFromTheCommandLine() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    try gateway.eventually("all nodes are known") { try page(["nodes"], in: folders)["known"] == 25 }
    let (hiker, hut) = (here.radio.nodes[0], here.radio.nodes[1])
    here.radio.sendText(from: hiker.number, "one")
    here.radio.sendText(from: hiker.number, "two")
    try gateway.eventually("both are counted") {
        try page(["node", hiker.number.id], in: folders)["node"]["messagesFrom"] == 2
    }

    // Who it is, by every name; what cannot be meant is said, with what to type.
    for name in [hiker.number.id, "\(hiker.number.rawValue)", hiker.longName, hiker.longName.uppercased()] {
        #expect(try page(["node", name], in: folders)["node"]["nodeId"] == .string(hiker.number.id), "\(name)")
    }
    let unknown = try Program.run("node", "nobody", in: folders)
    #expect(unknown.code == 66 && unknown.output.isEmpty)
    #expect(unknown.errors == "mesh-gateway: No node is called \"nobody\"; mesh-gateway nodes lists them.\n")
    var user = try #require(hut.user)
    user.longName = hiker.longName
    here.radio.inject(
        MeshPacket(
            from: hut.number, to: .broadcast, id: 4711,
            payload: .decoded(MeshData(port: .nodeInfo, payload: user.encoded(), bitfield: 1)), rxSNR: 5, rxRSSI: -80,
            hopLimit: 3, hopStart: 3, transport: .lora))
    let namesakes = try gateway.eventually("two have the name") {
        let answer = try Program.run("node", hiker.longName, in: folders)
        return answer.code == 0 ? nil : answer
    }
    #expect(namesakes.code == 65)
    #expect(namesakes.errors.contains(hiker.number.id) && namesakes.errors.contains(hut.number.id))

    // Sorted and chosen.
    let far = try page(["nodes", "--sort", "distance", "--filter", "located"], in: folders)["nodes"].rows
    let distances = far.compactMap { row in if case .number(let number) = row["distance"] { number } else { nil } }
    #expect(distances.count > 5 && distances == distances.sorted())
    let one = try page(["nodes", "--filter", String(hiker.number.id.dropFirst())], in: folders)["nodes"].rows
    #expect(one.map { $0["nodeId"] } == [.string(hiker.number.id)])
    #expect(try Program.run("nodes", "--sort", "beauty", in: folders).code == 65)
    #expect(try Program.run("nodes", "--filter", "heard=soon", in: folders).errors.contains("heard=30m"))

    // Channels tell how private they are, and never how.
    let channels = try page(["channels"], in: folders)["channels"].rows
    #expect(channels.prefix(4).map { $0["encryption"] } == ["default", "aes128", "aes256", .null])
    #expect(channels.prefix(3).map { $0["positionError"] } == [2918, .null, 365])
    #expect(channels[0]["messagesLastDay"] == 2 && channels[0]["unread"] == 2)
    #expect(try screen(["channels"], width: 80, in: folders).count == 4)
    #expect(try screen(["channels", "--all"], width: 80, in: folders).count == 9)

    let width = 20
    for words in [["nodes"], ["channels"], ["status"], ["node", hiker.number.id], ["token"], ["keys"]] {
        #expect(try screen(words, width: width, in: folders).allSatisfy { $0.count <= width }, "\(words)")
    }

    // The database tells the same when no daemon runs.
    let before = try [["nodes"], ["node", hiker.number.id], ["channels"], ["keys"]].map {
        ($0, try page($0, in: folders))
    }
    try gateway.program.stop()
    for (words, page) in before {
        let alone = try ScenarioTests.page(words, in: folders)
        #expect(alone["via"] == "database" && page["via"] == "daemon")
        for key in ["nodes", "node", "channels", "keys"] where page[key] != .null {
            #expect(alone[key] == page[key], "\(words)")
        }
    }
    let told = try Program.run("nodes", in: folders)
    #expect(told.code == 0 && told.errors.contains("No daemon is running"))
}

@Test func statusSaysWhatIsWrongFirst() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    let well = try page(["status"], in: folders)
    #expect(well["problems"] == .array([]))
    #expect(well["sources"].rows.first?["region"] == "EU_868")
    #expect(well["gateway"]["pid"].integer == Int(gateway.program.process))
    #expect(well["gateway"]["listeners"].rows.count == 2)
    // The one that asks; what asked before is counted until the gateway has seen that it is gone.
    try gateway.eventually("only the question itself is a connection") {
        try page(["status"], in: folders)["gateway"]["connections"] == 1
    }

    here.radio.changeKey(of: here.radio.nodes[0].number)
    try gateway.eventually("the doubt is told") {
        try page(["status"], in: folders)["problems"].rows.map { $0["name"] } == ["keys-in-doubt"]
    }
    here.radio.unplug()
    try gateway.eventually("the gap is told") { try page(["status"], in: folders)["sources"].rows[0]["link"] == "lost" }
    let gone = try Program.run("status", in: folders)
    #expect(gone.code == 69)
    let lines = gone.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("connection-") == true, "\(gone.output)")
    #expect(lines.dropFirst().first?.hasPrefix("keys-in-doubt: 1 node's key") == true)
    try gateway.program.stop()

    let alone = try Program.run("status", in: folders)
    #expect(alone.code == 69 && alone.output.hasPrefix("not-running: "))
    #expect(try page(["status"], in: folders)["gateway"] == .null)
}
