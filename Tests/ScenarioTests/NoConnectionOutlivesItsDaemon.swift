import Foundation
import Testing

@testable import ServedProgram

/// The daemon is killed: so is the process of its broker, even one that can do nothing for it, as while it looks up a name.
@Test func noConnectionOutlivesItsDaemon() throws {
    let served = try ServedBroker()
    let mosquitto = try mosquitto(served.port, in: served.folders)
    defer { mosquitto.signal(SIGKILL) }
    try served.waitUntil("live")
    let connection = try served.connection()
    // Nobody else of this user may look into it.
    #expect(access("/proc/\(connection)/mem", R_OK) != 0 || geteuid() == 0)
    let limits = try String(contentsOfFile: "/proc/\(connection)/limits", encoding: .utf8)
    #expect(limits.split(separator: "\n").contains { $0.hasPrefix("Max open files") && $0.contains(" 16 ") })
    // For the same reason root alone may count them.
    if geteuid() == 0 {
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(connection)/fd").count <= 8)
    }
    #expect(kill(connection, SIGSTOP) == 0)
    served.gateway.program.signal(SIGKILL)
    _ = try served.gateway.program.exitCode()
    try served.gateway.eventually("it is gone") { kill(connection, 0) != 0 }
}
