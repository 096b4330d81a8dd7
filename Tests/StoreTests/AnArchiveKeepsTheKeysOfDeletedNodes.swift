import Foundation
import MeshModel
import Testing

@testable import Store

/// The pinned key of a node outlives the node: also in an archive, with secrets or without, and in the database that is made
/// of it. Keys are public.
@Suite struct AnArchiveKeepsTheKeysOfDeletedNodes {
    private let key = PublicKey([UInt8](repeating: 7, count: 32))!
    private let gone = NodeNumber(0x1111_1111)
    private let there = NodeNumber(0x2222_2222)

    @Test(arguments: [true, false]) func whoeverIsHeardUnderItsNumberHasIt(withSecrets: Bool) throws {
        let folder = Folder()
        let store = try Store(path: folder.database)
        let source = try store.commit { writer in
            let source = try writer.insert(
                Source(uuid: "11111111-2222-4333-8444-555555555555", name: "A", isEnabled: true, createdAt: 1))
            for node in [gone, there] { try writer.updateNode(node, in: source, at: 1) { $0.publicKey = key } }
            return source
        }
        #expect(try store.commit { try $0.deleteNode(gone, in: source) })
        store.close()

        var lines: [String: [String]] = [:]
        try DatabaseExport(of: folder.database).files(withSecrets: withSecrets) { file in
            try file.lines { lines[file.name, default: []].append(String(decoding: $0, as: UTF8.self)) }
        }
        #expect(lines["node-keys.jsonl"]?.count == 1, "one of a node that is there is its own")

        let path = folder.database + "-imported"
        let file = try UnfinishedFile(for: path, replaces: false)
        let made = try DatabaseImport(into: file, program: "0")
        for name in DatabaseImport.files {
            _ = try made.importFile(name) { take in
                for line in lines[name] ?? [] { try Array(line.utf8).withUnsafeBytes { try take($0) } }
            }
        }
        _ = try made.finish()
        try file.publish()
        let imported = try Store(path: path)
        defer { imported.close() }
        let node = try imported.commit { writer -> Node? in
            try writer.updateNode(gone, in: source, at: 2) { $0.lastHeard = 2 }
            return try writer.node(gone, in: source)
        }
        #expect(node?.publicKey == key)
        #expect(try imported.read { try $0.node(there, in: source) }?.publicKey == key)
    }
}
