import Foundation
import Platform
import Testing

@testable import ServedProgram

/// The gateway is killed at the PUBACK of each text, which never reaches the broker: the text is on disk, and what the broker sends
/// again is no second one.
@Test func aTextOverABrokerIsOnDiskBeforeItIsAcknowledged() throws {
    let broker = try PersistentBroker()
    try broker.start()
    let writer = try TalkingDaemon("writer", at: broker.port)
    try writer.start()
    try writer.addConversation()
    let (victim, killed, passed) = (Monitor<pid_t?>(nil), Monitor(0), Monitor(0))
    let proxy = try BrokerProxy(to: broker.port) { packet in
        guard packet[0] >> 4 == 4 else { return true }
        guard let process = victim.withLock({ $0.take() }) else {
            passed.notify { $0 += 1 }
            return true
        }
        kill(process, SIGKILL)
        killed.notify { $0 += 1 }
        return false
    }
    let reader = try TalkingDaemon("reader", at: proxy.port)
    try reader.start()
    try reader.addConversation()
    var said: [String] = []
    for round in 1...5 {
        victim.withLock { $0 = reader.gateway.program.process }
        said.append("text \(round)")
        try writer.say("text \(round)")
        #expect(killed.wait(seconds: 300) { $0 == round ? () : nil } != nil, "no PUBACK came")
        _ = try reader.gateway.program.exitCode()
        #expect(reader.texts == said)
        try reader.start()
        // It comes again.
        #expect(passed.wait(seconds: 300) { $0 == round ? () : nil } != nil, "nothing came again")
    }
    try writer.say("the end")
    try reader.gateway.eventually("all have come: \(reader.texts)") { reader.texts.last == "the end" }
    #expect(reader.texts == said + ["the end"])
}

/// While the disk takes nothing a text stays at the broker, and one of ours is refused; with room again each is there, once.
@Test func aFullDiskLeavesATextAtItsBroker() throws {
    let broker = try PersistentBroker()
    try broker.start()
    let writer = try TalkingDaemon("writer", at: broker.port)
    try writer.start()
    try writer.addConversation()
    let folders = try Folders()
    let disk = FaultyDisk(in: folders, database: "\(folders.state)/mesh-gateway/mesh.db")
    let reader = try TalkingDaemon("reader", at: broker.port, in: folders, environment: disk.environment)
    try reader.start()
    try reader.addConversation()
    try writer.say("before")
    try reader.gateway.eventually("the first one") { reader.texts == ["before"] }

    try disk.fail([.write, .sync], with: ENOSPC, every: 1)
    for number in 1...3 { try writer.say("text \(number)") }
    try reader.gateway.eventually("it lets go of the broker") { try reader.connection() != "connected" }
    let refused = try reader.gateway.client.post(
        "/api/v1/messages", ["conversation": "mqtt:club", "text": "of ours"])
    #expect(refused.status == 500, "\(refused.status) \(refused.text)")
    #expect(reader.texts == ["before"])

    try disk.recover()
    let all = ["before", "text 1", "text 2", "text 3"]
    try reader.gateway.eventually("all are there: \(reader.texts)") { reader.texts == all }
    try reader.waitUntilConnected()
    try reader.say("of ours")
    try writer.gateway.eventually("it has gone out") { writer.texts == all + ["of ours"] }
    #expect(reader.texts == all + ["of ours"])
}
