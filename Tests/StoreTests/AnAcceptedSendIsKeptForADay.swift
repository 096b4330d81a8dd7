import MeshModel
import Testing

@testable import Store

@Suite struct AnAcceptedSendIsKeptForADay {
    private let folder = Folder()
    private let store: Store

    init() throws { (store, _) = try Store.withSource(folder, retention: .unlimited) }

    private func keep(_ keys: some Sequence<String> & Sendable, by token: Int64 = 1, at now: Int64 = noon) throws {
        try store.commit { writer in
            for key in keys {
                let send = AcceptedSend(digest: [1], status: 201, answer: Array(key.utf8))
                try writer.insert(send, under: key, by: token, at: now)
            }
        }
    }

    private func known(_ key: String, by token: Int64 = 1, at now: Int64) throws -> String? {
        try store.commit { try $0.acceptedSend(key, by: token, at: now) }.map {
            String(decoding: $0.answer, as: UTF8.self)
        }
    }

    private func rows() throws -> Int64? { try secondConnection(store).integer("SELECT count(*) FROM accepted_sends") }

    @Test func andNoLonger() throws {
        try keep(["one"])
        #expect(try known("one", at: noon + day - 1) == "one")
        #expect(try known("one", at: noon + day) == nil)
        #expect(try known("one", by: 2, at: noon) == nil)
        // Then it is a new one.
        try keep(["one"], at: noon + 2 * day)
        #expect(try known("one", at: noon + 2 * day) == "one")
        #expect(try rows() == 1)
    }

    @Test func whatIsOlderIsDeleted() throws {
        try keep(["old"])
        try keep(["young"], at: noon + day)
        try store.commit { _ = try $0.pruneOld(now: noon + day + 1) }
        #expect(try rows() == 1)
        #expect(try known("young", at: noon + day) == "young")
    }

    @Test func atMostAThousandOfEachToken() throws {
        try keep(["theirs"], by: 2)
        try keep((1...1_005).map { "\($0)" })
        #expect(try rows() == 1_001)
        #expect(try known("5", at: noon) == nil)
        #expect(try known("6", at: noon) == "6")
        #expect(try known("1005", at: noon) == "1005")
        #expect(try known("theirs", by: 2, at: noon) == "theirs")
    }

    @Test func itGoesWithItsToken() throws {
        let token = try store.commit { writer in
            try writer.insertToken(
                name: "phone", hash: [UInt8](repeating: 1, count: 32), prefix: "mm_v1_", scopes: "", at: noon)
        }
        try keep(["one"], by: token)
        try store.commit { _ = try $0.revokeToken(id: token, at: noon) }
        #expect(try rows() == 0)
    }

    /// A Raspberry Pi starts in 1970: a text of two minutes ago is not sent twice when it learns the time.
    @Test func itsTimeIsPutRightWithTheClock() throws {
        try keep(["one"], at: 120_000)
        try store.commit { try $0.clockWasSet(by: noon - 240_000, at: 240_000) }
        #expect(try known("one", at: noon) == "one")
    }
}
