import Foundation
import Testing

@testable import ServedProgram

/// A broker at which libmosquitto aborts, and a reload after each time: descriptors, threads and children of the daemon are what they
/// were.
@Test func anAbortLeavesNothingInTheDaemon() throws {
    let served = try ServedBroker()
    let mosquitto = try mosquitto(served.port, in: served.folders)
    defer { mosquitto.signal(SIGKILL) }
    try served.waitUntil("live")
    let rounds = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_FULL"] == nil ? 12 : 100
    var (descriptors, threads, memory) = (0, 0, 0)
    for round in 0..<rounds {
        #expect(kill(try served.connection(), SIGABRT) == 0)
        try served.waitUntil("refused")
        #expect(served.connections.isEmpty)
        served.gateway.program.signal(SIGHUP)
        try served.waitUntil("live")
        // The first round opens what stays open.
        if round == 0 {
            (descriptors, threads, memory) = (
                served.count("fd"), served.count("task"), served.gateway.program.residentBytes
            )
        }
    }
    try served.gateway.eventually("threads as before") { served.count("task") <= threads }
    // A thread that answers commands opens the database when it first has to. An end of a pair each time would be more.
    try served.gateway.eventually("descriptors as before") { served.count("fd") <= descriptors + 8 }
    if !Program.isSanitized { #expect(served.gateway.program.residentBytes < memory + 4 << 20) }
    try served.gateway.program.stop()
}
