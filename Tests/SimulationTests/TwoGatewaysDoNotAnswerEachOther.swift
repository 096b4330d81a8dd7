import Foundation
import MeshModel
import Testing

@testable import Rules

/// Two gateways with the examples acknowledge, welcome and announce, whose words are such that each would answer the other's.
@Suite struct TwoGatewaysDoNotAnswerEachOther {
    private static let rules = [
        "acknowledge":
            "when = message\nmatches = ^(test|ping)\nreact = hops\nreply = ping heard over {hops} hops, {time}",
        "welcome": "when = node introduced\nonce = node\ndelay = 30s\nsend = ping, {node}! Welcome to the mesh\nto = 0",
        "announce": "when = at 0 * * * *\nsend = ping: {radio} is up for {uptime}\nto = 0\nannounce = nodeinfo",
    ]

    /// 300 minutes with a ping in each, 1,000 when MESH_GATEWAY_TEST_FULL is set.
    private static let minutes: UInt32 =
        ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_FULL"] == nil ? 300 : 1_000

    @Test(.timeLimit(.minutes(10))) func eachPingIsAnsweredOnceByEach() throws {
        let mesh = try JoinedGateways(Self.rules)
        var pings: Set<PacketID> = []
        for minute in 0..<Self.minutes {
            let node = NodeNumber(0x0BAD_0000 + minute % 50)
            if minute < 50 { mesh.introduce(node, as: "Pinger \(minute)") }
            let id = mesh.nextID()
            pings.insert(id)
            mesh.say("ping \(minute)", from: node, id: id)
            try mesh.run(seconds: 0.5)
            try mesh.run(seconds: 0.5)
            // The second text of an answer leaves two and a half seconds behind the first.
            try mesh.run(seconds: 4)
            try mesh.run(seconds: 55)
        }
        let answers = mesh.said.filter { $0.reply != 0 }
        // Nobody answers an answer or a reaction.
        let told = Set(answers.map(\.id))
        #expect(answers.allSatisfy { !told.contains($0.reply) })
        for gateway in 0...1 {
            let replies = answers.filter { $0.gateway == gateway && !$0.isReaction }
            #expect(Set(replies.map(\.reply)).count == replies.count)
            let reactions = answers.filter { $0.gateway == gateway && $0.isReaction }
            #expect(Set(reactions.map(\.reply)).count == reactions.count)
            // Most pings are answered, or the test would show nothing.
            #expect(replies.count { pings.contains($0.reply) } > Int(Self.minutes) / 2, "\(replies.count)")
            #expect(mesh.mostInAnHour(of: gateway) <= 72_000)
            // Each pinger and the other gateway is welcomed once at most.
            let welcomes = mesh.said.filter { $0.gateway == gateway && $0.text.contains("Welcome") }
            #expect(Set(welcomes.map(\.text)).count == welcomes.count && welcomes.count > 10)
        }
        #expect(mesh.others[.nodeInfo] ?? 0 >= 4)
    }

    /// It says a text of its own to each that it hears, and refers to none: nobody can see that it answers.
    @Test(.timeLimit(.minutes(10))) func aResponderThatRefersToNothingIsAnsweredOnceAMinute() throws {
        let mesh = try JoinedGateways(Self.rules)
        mesh.listener = { $0.isReaction ? nil : "ping yourself" }
        mesh.introduce(JoinedGateways.stranger, as: "Responder")
        for _ in 0..<400 {
            // It begins again whenever they are silent.
            mesh.say("ping", from: JoinedGateways.stranger, id: mesh.nextID())
            for _ in 0..<3 { try mesh.run(seconds: 5) }
        }
        for gateway in 0...1 {
            let replies = mesh.said.filter { $0.gateway == gateway && $0.reply != 0 && !$0.isReaction }
            #expect(replies.count > 10, "\(replies.count)")
            for (one, next) in zip(replies, replies.dropFirst()) { #expect(next.at - one.at >= 55 * World.second) }
            #expect(mesh.mostInAnHour(of: gateway) <= 72_000)
        }
    }
}
