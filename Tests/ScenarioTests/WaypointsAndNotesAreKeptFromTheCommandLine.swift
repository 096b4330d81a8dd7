import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// A command's answer for programs.
private func page(_ words: String..., in folders: Folders) throws -> JSON {
    let program = try Program(words + ["--json"], in: folders)
    let code = try program.exitCode()
    try #require(code == 0, "\(words): \(program.errors.text)")
    return try JSON(text: program.output.text)
}

private func served(_ here: RadioHere, in folders: Folders) throws -> ServedGateway {
    let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    return gateway
}

@Test func aWaypointIsMadeChangedAndDeletedFromTheCommandLine() throws {
    let (here, folders) = (try RadioHere(), try Folders())
    let gateway = try served(here, in: folders)
    let made = try page(
        "waypoint", "create", "Base camp", "46.2044,6.1432", "--icon", "🏕", "--channel", "1", "--lock", in: folders)
    #expect(made["schema"] == "waypoint/1" && made["change"] == "created")
    let id = try #require(made["id"].integer)
    let sent = try #require(here.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .waypoint })
    #expect(sent.channel == 1 && sent.to == .broadcast)
    // By its name, in any letter case, or by its id.
    let changed = try page("waypoint", "change", "base CAMP", "--place", "46.21,-6.14", "--unlock", in: folders)
    #expect(changed["id"].integer == id && changed["waypoint"]["lockedTo"] == .null)
    let list = try page("waypoint", in: folders)["waypoints"].rows
    #expect(list.map { $0["name"] } == ["Base camp"])
    #expect(list[0]["longitude"] == .number(-6.14) && list[0]["channelName"] == "Hikers")
    let shown = try Program(["waypoint", "list"], in: folders)
    #expect(try shown.exitCode() == 0 && shown.output.text.contains("46.21000, -6.14000"))
    #expect(try page("waypoint", "delete", "\(id)", in: folders)["waypoint"] == .null)
    #expect(try page("waypoint", in: folders)["waypoints"].rows.isEmpty)
    try gateway.program.stop()
    // Without a daemon the list is read from the database.
    #expect(try page("waypoint", in: folders)["via"] == "database")
}

@Test func aNodesNicknameIsShownWithAndWithoutADaemon() throws {
    let (here, folders) = (try RadioHere(), try Folders())
    let gateway = try served(here, in: folders)
    let node = here.radio.nodes[0].number.id
    let noted = try page("node", node, "--nickname", "Bob 🏔", "--notes", "has the key\nand the tent", in: folders)
    #expect(noted["schema"] == "node/2" && noted["node"]["nickname"] == "Bob 🏔")
    try gateway.program.stop()
    let shown = try Program(["node", node], in: folders)
    #expect(try shown.exitCode() == 0)
    #expect(shown.output.text.contains("Bob 🏔") && shown.output.text.contains("and the tent"))
    // Only the daemon changes its database.
    let refused = try Program(["node", node, "--nickname", ""], in: folders)
    #expect(try refused.exitCode() == 69)
    #expect(refused.errors.text.contains("mesh-gateway serve"))
}

@Test func anAlertAndThePositionAreSentFromTheCommandLine() throws {
    let (here, folders) = (try RadioHere(), try Folders())
    let gateway = try served(here, in: folders)
    let friend = here.radio.nodes[0].number
    let alert = try page("send", "Avalanche", "--alert", "--to", friend.id, "--wait", in: folders)
    #expect(alert["outcome"] == "confirmed")
    let rang = try #require(here.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .alert })
    #expect(rang.decoded?.payload == Array("Avalanche\u{7}".utf8))
    let position = try page("send-position", "--channel", "1", in: folders)
    #expect(position["nodeId"] == .null && position["channel"] == 1)
    #expect(here.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .position && $0.channel == 1 } != nil)
    let answer = try page("request", "local-stats", friend.id, "--timeout", "5", in: folders)
    #expect(answer["kind"] == "local-stats")
    try gateway.program.stop()
}
