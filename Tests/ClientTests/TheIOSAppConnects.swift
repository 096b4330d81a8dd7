import Foundation
import MeshModel
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// MeshMonitor Chat for iOS. Being Swift, it decodes into fixed types: a field has one type in every row.
@Suite struct TheIOSAppConnects {
    private struct Envelope<Row: Decodable>: Decodable {
        let success: Bool
        let data: Row
    }

    private struct Channel: Decodable {
        let id: Int
        let name: String
        let role: Int
    }

    private struct Status: Decodable {
        let connected: Bool
        let nodeResponsive: Bool
        let localNodeId: String?
        let localNodeNum: UInt32?
    }

    private struct ServerStatus: Decodable {
        struct Connection: Decodable {
            struct LocalNode: Decodable {
                let nodeId: String
                let nodeNum: UInt32
                let longName: String
                let shortName: String
            }
            let connected: Bool
            let localNode: LocalNode?
        }
        let version: String
        let uptime: Double
        let connection: Connection
    }

    private struct Message: Decodable {
        let id: String
        let fromNodeId: String
        let fromNodeNum: UInt32
        let toNodeId: String
        let text: String
        let channel: Int
        let timestamp: Int64
        let createdAt: Int64
        let requestId: UInt32?
        let replyId: UInt32?
        let emoji: Int?
        let deliveryState: String?
        let viaMqtt: Bool?
    }

    private struct Sent: Decodable {
        let messageId: String
        let requestId: UInt32
        let deliveryState: String
    }

    private struct Unauthorized: Decodable {
        let error: String
        let message: String
    }

    private func decode<Value: Decodable>(_ answer: Answer) throws -> Value {
        try #require(answer.status < 300, "\(answer.text)")
        return try JSONDecoder().decode(Envelope<Value>.self, from: answer.body).data
    }

    @Test func theConnectionIsTested() throws {
        let mesh = try Mesh()
        let wrong = try mesh.client(token: "mm_v1_00000000000000000000000000000000").get("/api/v1/channels")
        #expect(wrong.status == 401)
        #expect(try JSONDecoder().decode(Unauthorized.self, from: wrong.body).error == "Unauthorized")
        let channels: [Channel] = try decode(mesh.client.get("/api/v1/channels"))
        #expect(channels.filter { $0.role > 0 }.map(\.id) == [0, 1, 2])
    }

    /// Both are fetched together and merged.
    @Test func bothStatusesSayTheSame() throws {
        let mesh = try Mesh()
        let status: Status = try decode(mesh.client.get("/api/v1/status"))
        let server = try JSONDecoder().decode(ServerStatus.self, from: mesh.client.get("/api/status").body)
        #expect(status.connected && status.nodeResponsive && server.connection.connected)
        #expect(status.localNodeId == mesh.radio.number.id)
        #expect(status.localNodeNum == mesh.radio.number.rawValue)
        #expect(server.connection.localNode?.nodeId == status.localNodeId)
        #expect(server.connection.localNode?.nodeNum == status.localNodeNum)
    }

    @Test func messagesGoBothWays() throws {
        let mesh = try Mesh()
        let hiker = mesh.cast(0)
        let hello = mesh.radio.sendText(from: hiker, "Hello phone")
        mesh.radio.sendText(from: mesh.cast(1), "👍", replyID: hello, isReaction: true)
        mesh.radio.sendText(from: hiker, "Only for you", to: mesh.radio.number)
        let toAll: Sent = try decode(mesh.client.post("/api/v1/messages", ["text": "Hello mesh", "channel": 0]))
        let toOne: Sent = try decode(
            mesh.client.post("/api/v1/messages", ["text": "Hello you", "toNodeId": .string(hiker.id)]))
        let messages: [Message] = try mesh.gateway.eventually("all five are there") {
            let messages: [Message] = try decode(mesh.client.get("/api/v1/messages?limit=100"))
            return messages.count == 5 ? messages : nil
        }
        let reaction = try #require(messages.first { $0.emoji == 1 })
        #expect(reaction.replyId == hello)
        // Own messages are known by their sender, in either form.
        let own = messages.filter { $0.fromNodeNum == mesh.radio.number.rawValue }
        #expect(own.allSatisfy { $0.fromNodeId.lowercased() == mesh.radio.number.id })
        #expect(Set(own.map(\.id)) == [toAll.messageId, toOne.messageId])
        #expect(Set(own.compactMap(\.requestId)) == [toAll.requestId, toOne.requestId])
        #expect(Set(messages.filter { $0.channel == -1 }.map(\.text)) == ["Only for you", "Hello you"])
    }
}
