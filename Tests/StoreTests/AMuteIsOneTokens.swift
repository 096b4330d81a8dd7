import MeshModel
import Testing

@testable import Store

@Suite struct AMuteIsOneTokens {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws { (store, source) = try Store.withSource(folder) }

    private func mute(_ conversation: Conversation, _ mute: Mute?, by token: Int64) throws {
        let source = source
        try store.commit { try $0.mute(conversation, mute, by: token, in: source) }
    }

    private func mutes(by token: Int64) throws -> [Conversation: Mute] {
        try store.read { try $0.mutes(by: token, in: source) }
    }

    @Test func untilItIsTakenBack() throws {
        try mute(.channel(0), .forGood, by: 1)
        try mute(.direct(bob), .until(noon), by: 1)
        #expect(try mutes(by: 1) == [.channel(0): .forGood, .direct(bob): .until(noon)])
        #expect(try mutes(by: 2) == [:])
        try mute(.channel(0), .until(noon + 1), by: 1)
        try mute(.direct(bob), nil, by: 1)
        try mute(.direct(bob), nil, by: 1)
        #expect(try mutes(by: 1) == [.channel(0): .until(noon + 1)])
        #expect(
            Mute.until(noon).holds(at: noon - 1) && !Mute.until(noon).holds(at: noon) && Mute.forGood.holds(at: .max))
    }

    @Test func itGoesWithItsTokenAndItsNode() throws {
        let source = source
        let token = try store.commit { writer in
            try writer.updateNode(bob, in: source, at: noon) { _ in }
            return try writer.insertToken(
                name: "phone", hash: [UInt8](repeating: 1, count: 32), prefix: "mm_v1_", scopes: "", at: noon)
        }
        try mute(.channel(0), .forGood, by: token)
        try mute(.direct(bob), .forGood, by: 7)
        try store.commit { try $0.revokeToken(id: token, at: noon + 1) }
        #expect(try mutes(by: token) == [:])
        #expect(try mutes(by: 7) == [.direct(bob): .forGood])
        #expect(try store.commit { try $0.deleteNode(bob, in: source) })
        #expect(try mutes(by: 7) == [:])
    }
}
