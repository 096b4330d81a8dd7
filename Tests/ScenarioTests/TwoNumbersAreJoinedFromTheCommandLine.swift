import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// Firmware 2.8 makes a node's number of its key, so that an upgraded device comes as a new node. `node` names both numbers,
/// and `node merge` gives them one past, after a copy that `restore` puts back as it is printed.
@Test func twoNumbersAreJoinedFromTheCommandLine() throws {
    // The numbers of 2.7 are those of the hardware.
    let (folders, here) = (try Folders(), try RadioHere { $0.firmware = .v2_7 })
    let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    func run(_ words: String..., expecting code: Int32 = 0) throws -> (output: String, errors: String) {
        let program = try Program(words, in: folders)
        #expect(try program.exitCode() == code, "\(words): \(program.output.text)\(program.errors.text)")
        return (program.output.text.replacing("\n", with: " "), program.errors.text.replacing("\n", with: " "))
    }
    func json(_ words: String...) throws -> JSON {
        let program = try Program(words + ["--json"], in: folders)
        #expect(try program.exitCode() == 0, "\(words): \(program.errors.text)")
        return try JSON(text: program.output.text)
    }
    func texts(from node: String) throws -> [String] {
        try json("messages", "--limit", "50")["messages"].rows.filter { $0["from"]["nodeId"] == .string(node) }
            .compactMap { $0["text"].string }
    }
    func says(_ text: String, _ number: String) throws {
        let node = try #require(here.radio.nodes.first { $0.number.id == number })
        here.radio.sendText(from: node.number, text)
        _ = try gateway.eventually("\(text) is stored") { try texts(from: number).contains(text) ? text : nil }
    }

    let old = here.radio.nodes[0].number
    try says("before the upgrade", old.id)
    let new = here.radio.renumber(old)
    try says("after the upgrade", new.id)
    _ = try gateway.eventually("the key tells") {
        try json("node", old.id)["node"]["newNumber"] == .string(new.id) ? true : nil
    }
    let command = "mesh-gateway node merge '\(old.id)' '\(new.id)' --dry-run"
    #expect(try run("node", old.id).output.contains(command))
    #expect(try run("node", new.id).output.contains(command))
    #expect(try run("doctor", expecting: 1).output.contains(command))

    // Nobody else may have the database, and both must be there.
    #expect(
        try run("node", "merge", old.id, new.id, expecting: 69).errors.contains("in use by another mesh-gateway"))
    try gateway.program.stop()
    #expect(try run("node", "merge", old.id, old.id, expecting: 64).errors.contains("one number"))
    #expect(try run("node", "merge", "Anna", new.id, expecting: 64).errors.contains("no id of a node"))
    #expect(try run("node", "merge", "!00000077", new.id, expecting: 66).errors.contains("no radio knows both"))

    let files = { try FileManager.default.contentsOfDirectory(atPath: folders.state).filter { $0.contains("merge") } }
    #expect(try run("node", "merge", old.id, new.id, "--dry-run").output.contains("would become \(new.id)"))
    let planned = try json("node", "merge", old.id, new.id, "--dry-run")
    #expect(try PublishedSchema("node-merge").flaws(of: planned) == [])
    #expect(planned["isDone"] == false && planned["copy"] == .null)
    #expect(try texts(from: old.id) == ["before the upgrade"] && files().isEmpty, "nothing was changed")

    let said = try run("node", "merge", old.id, new.id).output
    #expect(said.contains("has become \(new.id)") && said.contains("no other undo"))
    #expect(Set(try texts(from: new.id)) == ["before the upgrade", "after the upgrade"])
    #expect(try texts(from: old.id).isEmpty)
    #expect(try json("node", new.id)["node"]["oldNumber"] == .null)

    // As it is printed.
    let undo = try #require(said.firstMatch(of: /mesh-gateway (restore (\S+) --replace)/))
    let permissions = try FileManager.default.attributesOfItem(atPath: String(undo.2))[.posixPermissions] as? NSNumber
    #expect(permissions?.intValue == 0o600)
    let restored = try Program(undo.1.split(separator: " ").map(String.init), in: folders)
    #expect(try restored.exitCode() == 0, "\(restored.errors.text)")
    #expect(try texts(from: old.id) == ["before the upgrade"])

    let done = try json("node", "merge", old.id, new.id)
    #expect(try PublishedSchema("node-merge").flaws(of: done) == [])
    #expect(done["isDone"] == true && done["old"] == .string(old.id) && done["new"] == .string(new.id))
    let tables = done["sources"].rows.first?["tables"].rows ?? []
    #expect(tables.contains { $0["name"] == "messages" } && tables == planned["sources"].rows.first?["tables"].rows)
    #expect(FileManager.default.fileExists(atPath: done["copy"].string ?? ""))
}
