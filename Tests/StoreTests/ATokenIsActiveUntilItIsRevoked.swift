import MeshModel
import Testing

@testable import Store

@Test func aTokenIsActiveUntilItIsRevoked() throws {
    let folder = Folder()
    let store = try Store(path: folder.database)
    let hash = [UInt8](repeating: 7, count: 32), otherHash = [UInt8](repeating: 8, count: 32)
    func insert(_ name: String, _ hash: [UInt8]) throws -> Int64 {
        try store.commit { writer in
            try writer.insertToken(
                name: name, hash: hash, prefix: "mm_v1_abcdef", scopes: "admin", expiresAt: noon + day, at: noon)
        }
    }
    let id = try insert("phone", hash)
    let token = Token(
        id: id, name: "phone", hash: hash, prefix: "mm_v1_abcdef", scopes: "admin", createdAt: noon,
        expiresAt: noon + day)
    #expect(try store.read { try $0.tokens() } == [token])
    #expect(throws: StoreError.nameTaken("phone")) { try insert("phone", otherHash) }
    #expect(throws: StoreError.tokenKnown) { try insert("tablet", hash) }

    let revision = store.revision(.tokens)
    try store.commit { try $0.touchToken(id: id, at: noon + 1) }
    #expect(store.revision(.tokens) == revision)
    #expect(try store.read { try $0.tokens() }.map(\.lastUsedAt) == [noon + 1])

    #expect(try store.commit { try $0.revokeToken(name: "phone", at: noon + 2) })
    #expect(store.revision(.tokens) > revision)
    #expect(try store.read { try $0.tokens() }.map(\.revokedAt) == [noon + 2])
    #expect(try !store.commit { try $0.revokeToken(name: "phone", at: noon + 3) })
    #expect(try !store.commit { try $0.revokeToken(id: id, at: noon + 3) })

    // Name and token may be used again.
    let again = try insert("phone", hash)
    #expect(try store.commit { try $0.revokeToken(id: again, at: noon + 4) })
    #expect(try store.read { try $0.tokens() }.map(\.revokedAt) == [noon + 2, noon + 4])
}
