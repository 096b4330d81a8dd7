import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// The mesh talks and clients send, as fast as both can, while backups are made. Every row that was there before a backup
/// began is in it, no row that was never there, and what belongs together is.
@Test func aBackupIsOneStateOfABusyGateway() throws {
    let folders = try Folders()
    let databases = Databases(folders: folders)
    try databases.make("mesh.db", rows: 50_000)
    let database = databases.path("mesh.db")
    let here = try RadioHere { $0.chatter = 20 }
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, ["--database", database],
        environment: ["MESH_GATEWAY_RATE_LIMIT_MESSAGES": "unlimited"])
    try gateway.authorize(as: "busy")
    try gateway.waitUntilLive()

    let senders = Senders(3, gateway.client)
    var last = 0
    for number in 0..<(isFullRun ? 20 : 3) {
        let backup = databases.path("backup-\(number)")
        try databases.ask("copy", database, databases.path("before"))
        let made = try Program.run("backup", backup, in: folders)
        #expect(made.code == 0, "\(made.errors)")
        try databases.ask("copy", database, databases.path("after"))
        try databases.ask("sealed", backup)
        let messages = try databases.ask("state", backup)
        try databases.ask("within", databases.path("before"), backup)
        try databases.ask("within", backup, databases.path("after"))
        #expect(messages > last, "nothing was written meanwhile")
        last = messages
        for name in ["before", "after"] { try FileManager.default.removeItem(atPath: databases.path(name)) }
    }
    #expect(senders.stop() > 10)
    #expect(try gateway.client.get("/api/v1/status").status == 200)
    try gateway.program.stop()
}

/// Clients that send until they are told to stop.
private final class Senders: @unchecked Sendable {  // everything is guarded by `lock`
    private let lock = NSLock()
    private let running = DispatchGroup()
    private var isStopped = false
    private var sent = 0

    init(_ count: Int, _ client: Client) {
        for number in 0..<count {
            running.enter()
            Thread.detachNewThread { [self] in
                defer { running.leave() }
                var place = 0
                while !lock.withLock({ isStopped }) {
                    place += 1
                    let answer = try? client.post(
                        "/api/v1/messages", ["text": .string("client \(number), text \(place)"), "channel": 0])
                    if answer?.status == 201 { lock.withLock { sent += 1 } }
                }
            }
        }
    }

    /// How many texts were accepted.
    func stop() -> Int {
        lock.withLock { isStopped = true }
        running.wait()
        return lock.withLock { sent }
    }
}
