import Foundation
import Testing

@testable import ServedProgram

/// The database of before takes the place of the one that a reader followed. He comes back with an id of the one that is
/// gone, when the restored one has had more changes than that: he is told that he has missed something, and every message
/// since.
@Test func aRestorationIsToldToWhoFollows() throws {
    let folders = try Folders()
    let here = try RadioHere { $0.nodes = 3 }
    let device = "\(folders.root)/radio"
    try here.radio.openPty(link: device)
    func run(_ words: String...) throws {
        let program = try Program(words, in: folders)
        #expect(try program.exitCode() == 0, "\(program.errors.text)")
    }
    func texts(_ told: [EventStreamClient.Told]) -> [String] {
        told.filter { $0.kind == "message" }.compactMap { $0.data["text"].string }
    }

    var gateway = try ServedGateway(device: device, in: folders)
    try gateway.authorize()
    try gateway.waitUntilLive()
    try here.say("kept", to: gateway)
    let backup = "\(folders.root)/backup"
    try run("backup", backup)
    let reader = try EventStreamClient(gateway.client)
    #expect(try reader.next()?.first?.kind == "start")
    for text in ["lost 1", "lost 2", "lost 3"] {
        try here.say(text, to: gateway)
        while !(try texts(#require(try reader.next()))).contains(text) {}
    }
    reader.cut()
    try gateway.program.stop()
    try run("restore", backup, "--replace")

    let token = gateway.client.token
    gateway = try ServedGateway(device: device, in: folders)
    gateway.client.token = token
    try gateway.waitUntilLive()
    let later = (1...20).map { "later \($0)" }
    for text in later { try here.say(text, to: gateway) }
    let again = try EventStreamClient(gateway.client, after: reader.lastID)
    var told: [EventStreamClient.Told] = []
    while !texts(told).contains("later 20") { told += try #require(try again.next()) }
    #expect(told.map(\.kind).prefix(2) == ["start", "missed"])
    #expect(Set(texts(told)).isSuperset(of: later))
    again.cut()
    try gateway.program.stop()
}
