import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// Texts among a mesh, eight programs on a shared radio and the REST API.
@Suite struct TextsReachEverybodyOnce {
    @Test func aThousandOfTheMesh() throws {
        let mesh = try SharedMesh(right: "read")
        let clients = try (0..<8).map { _ in try mesh.connected() }
        let node = mesh.radio.nodes[0].number
        for number in 0..<1000 {
            mesh.radio.sendText(from: node, "text \(number)")
            if number % 20 == 19 {
                // As far as a radio is ahead of its host at most.
                #expect(clients[0].wait { $0.text == "text \(number)" ? true : nil } == true)
                for client in clients { client.readWhatIsThere() }
            }
        }
        let expected = (0..<1000).map { "text \($0)" }
        for client in clients {
            #expect(client.wait { $0.text == "text 999" ? true : nil } == true)
            #expect(client.frames.compactMap(\.text) == expected)
            #expect(client.ending == nil && client.strays == 0)
        }
        try mesh.gateway.eventually("they are rows") { try rows(mesh).count >= 1000 }
        #expect(try rows(mesh).sorted() == expected.sorted())
        try mesh.gateway.program.stop()
    }

    /// More than the REST API gives at once.
    private func rows(_ mesh: SharedMesh) throws -> [String] {
        let list = try Program.run("messages", "--limit", "5000", "--json", in: mesh.gateway.folders)
        let page = try JSONDecoder().decode(JSON.self, from: Data(list.output.utf8))
        return page["messages"].rows.compactMap { $0["text"].string }.filter { $0.hasPrefix("text ") }
    }

    /// Three of each at once: nobody waits until all of another's are out. The gateway sends one in 2.5 s.
    @Test func threeOfEachInTurns() throws {
        let mesh = try SharedMesh()
        let clients = try (0..<3).map { _ in try mesh.connected() }
        for (place, client) in clients.enumerated() {
            for number in 0..<3 {
                let id = PacketID(10_000 * (place + 1) + number)
                let data = MeshData(port: .textMessage, payload: Array("c\(place) \(number)".utf8))
                client.send(
                    .packet(
                        MeshPacket(
                            from: NodeNumber(0), to: .broadcast, id: id, payload: .decoded(data), wantAck: true)))
            }
        }
        for number in 0..<3 { _ = try mesh.gateway.post(["text": .string("r \(number)"), "channel": 0]) }
        try mesh.gateway.eventually("all are out") { mesh.here.texts.count >= 12 }
        let sent = mesh.here.texts
        #expect(sent.count == 12)
        for name in ["c0", "c1", "c2", "r"] {
            let own = sent.indices.filter { sent[$0].hasPrefix("\(name) ") }
            #expect(own.map { sent[$0] } == (0..<3).map { "\(name) \($0)" })
            // While it waits for its last one, each other has had its first.
            let before = sent[..<(own.last ?? 0)].map { $0.split(separator: " ")[0] }
            #expect(Set(before).count == 4, "\(sent)")
        }
        // Everybody else is told of each.
        for (place, client) in clients.enumerated() {
            let others = sent.filter { !$0.hasPrefix("c\(place) ") }
            #expect(client.wait { $0.text == others.last ? true : nil } == true)
            #expect(client.frames.compactMap(\.text).sorted() == others.sorted())
        }
        try mesh.gateway.program.stop()
    }
}
