import Foundation
import Testing

@testable import Store

@Suite struct ATokenMakesNineOthers {
    private let folder = Folder()
    private let store: Store
    private let maker: Int64

    init() throws {
        let store = try Store(path: folder.database)
        maker = try Self.insert("setup", until: noon + day, into: store)
        self.store = store
    }

    @discardableResult
    private static func insert(
        _ name: String, until end: Int64? = nil, by maker: Int64? = nil, at now: Int64 = noon, into store: Store
    ) throws -> Int64 {
        let hash = (0..<32).map { _ in UInt8.random(in: 0...255) }
        return try store.commit { writer in
            try writer.insertToken(
                name: name, hash: hash, prefix: "mm_v1_abcdef", scopes: "read", expiresAt: end, madeBy: maker, at: now)
        }
    }

    @discardableResult
    private func make(_ name: String, at now: Int64 = noon) throws -> Int64 {
        try Self.insert(name, by: maker, at: now, into: store)
    }

    private func made(by name: String) throws -> [String] {
        try store.commit { try $0.tokens(madeByToken: name, at: noon) }
    }

    @Test func thatAreActive() throws {
        for number in 1...9 { try make("phone \(number)") }
        #expect(throws: StoreError.tooManyOfMaker(9)) { try make("phone 10") }
        #expect(try made(by: "setup") == (1...9).map { "phone \($0)" })
        // One less, one more.
        try store.commit { try $0.revokeToken(name: "phone 3", at: noon) }
        #expect(throws: StoreError.nameTaken("phone 4")) { try make("phone 4") }
        try make("phone 3")
        #expect(throws: StoreError.tooManyOfMaker(9)) { try make("phone 10") }
        // Commands and other tokens are not concerned.
        let other = try Self.insert("other", into: store)
        try Self.insert("phone 10", by: other, into: store)
        #expect(try made(by: "other") == ["phone 10"])
    }

    @Test func noneWhileTwoHundredAreActive() throws {
        for number in 2...199 { try Self.insert("of a command \(number)", into: store) }
        try make("phone")
        #expect(throws: StoreError.tooManyTokens(200)) { try make("tablet") }
        try Self.insert("of a command 200", into: store)
        try store.commit { writer in
            try writer.revokeToken(name: "phone", at: noon)
            try writer.revokeToken(name: "of a command 2", at: noon)
        }
        try make("tablet")
    }

    @Test func noneWhenItIsRevokedOrHasExpired() throws {
        #expect(throws: StoreError.makerRevoked) { try make("late", at: noon + day) }
        try store.commit { try $0.revokeToken(name: "setup", at: noon) }
        #expect(throws: StoreError.makerRevoked) { try make("phone") }
        #expect(try store.read { try $0.tokens() }.map(\.name) == ["setup"])
    }

    /// A name is used again; who made which goes by numbers.
    @Test func anotherTokenOfItsNameHasMadeNone() throws {
        let phone = try make("phone")
        try store.commit { try $0.revokeToken(name: "setup", at: noon) }
        #expect(try made(by: "setup") == [])
        try Self.insert("setup", into: store)
        #expect(try made(by: "setup") == [])
        #expect(try store.read { try $0.tokens() }.first { $0.id == phone }?.madeBy == maker)
    }
}
