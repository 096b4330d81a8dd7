import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// The service's start and stop, its radio, and a clock that was set back by a year are rows that another program finds later; a
/// command that has a gateway of its own for a moment leaves neither a start nor a stop.
@Test func whatHappenedToTheServiceIsARow() throws {
    let folders = try Folders()
    let clock = try LeapingClock(in: folders, at: Date())
    let here = try RadioHere()
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"
    var gateway = try ServedGateway(device: device, in: folders, environment: clock.environment)
    try gateway.authorize()
    try gateway.waitUntilLive()
    clock.leap(seconds: -365 * 86_400)
    try here.say("a year earlier", to: gateway)
    try gateway.program.stop()
    let words = ["radio", "config", "get", "lora", "--device", device]
    let command = try Program(words, in: folders, environment: clock.environment)
    #expect(try command.exitCode() == 0, "\(command.errors.text)")

    let query = "SELECT kind, ifnull(name, ''), source, round((at - since) / 86400000.0) FROM happened ORDER BY id;"
    let reader = try Program(
        ["-bail", "-readonly", "\(folders.state)/mesh-gateway/mesh.db"], in: folders, input: query,
        executable: "/usr/bin/sqlite3")
    #expect(try reader.exitCode() == 0, "\(reader.errors.text)")
    let rows = reader.output.text.split(separator: "\n")
    // Of the gateway itself: 7 and 8 are start and stop, 9 is the clock. 1 is a link.
    #expect(rows.filter { $0.contains("|0|") } == ["7||0|", "9||0|-365.0", "8||0|"], "\(rows)")
    #expect(rows.contains("1|live|1|"), "\(rows)")
}
