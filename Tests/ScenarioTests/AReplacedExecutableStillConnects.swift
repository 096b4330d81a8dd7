import Foundation
import Testing

@testable import ServedProgram

/// An upgrade replaces the executable under a running daemon: until its restart, the old one connects to brokers.
@Test func aReplacedExecutableStillConnects() throws {
    let folder = try Folders()
    let copy = "\(folder.root)/mesh-gateway"
    // cp copies it: a program that another test starts meanwhile may inherit what this process has open for writing, and
    // nobody can run a file that is open for writing (ETXTBSY).
    let copying = try Program([Program.path, copy], in: folder, executable: "/bin/cp")
    try #require(try copying.exitCode() == 0, "\(copying.errors.text)")
    let served = try ServedBroker(executable: copy)
    var mosquitto = try mosquitto(served.port, in: served.folders)
    defer { mosquitto.signal(SIGKILL) }
    try served.waitUntil("live")
    let first = try served.connection()
    try "no program".write(toFile: "\(copy).new", atomically: true, encoding: .utf8)
    try #require(rename("\(copy).new", copy) == 0)
    mosquitto.signal(SIGKILL)
    _ = try mosquitto.exitCode()
    try served.gateway.eventually("it is lost") { served.connections.isEmpty || served.connections != [first] }
    mosquitto = try ScenarioTests.mosquitto(served.port, in: served.folders)
    try served.waitUntil("live")
    #expect(try served.connection() != first)
    try served.gateway.program.stop()
}
