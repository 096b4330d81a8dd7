import MeshModel
import Store

/// The keys of all nodes as the command line shows them, asked of the daemon or read from the database.
public enum KeyBook {
    struct Entry {
        let source: FoundSource
        let node: Node
    }

    /// What the database holds, in the form of `GET /local/keys`.
    public static func json(_ reader: Reader) throws -> [UInt8] { json(try entries(reader)) }

    /// The same about one node; nil when there is none of that name, or several.
    public static func json(_ reader: Reader, of name: String) throws -> [UInt8]? {
        guard case .one(let found) = search(name, in: try entries(reader)) else { return nil }
        return json(found)
    }

    /// What a person should look at first, then who was heard last.
    static func entries(_ reader: Reader) throws -> [Entry] {
        var found: [Entry] = []
        for source in try reader.enabledSources() {
            for number in try reader.nodeNumbers(in: source.id, order: .lastHeardDescending) {
                if let node = try reader.node(number, in: source.id) { found.append(Entry(source: source, node: node)) }
            }
        }
        let urgent = found.filter { $0.node.keyMismatch || $0.node.isKeyDuplicate }
        return urgent + found.filter { !($0.node.keyMismatch || $0.node.isKeyDuplicate) }
    }

    static func search(_ name: String, in entries: [Entry]) -> NodeNames.Found<Entry> {
        NodeNames.search(name, in: entries) { $0.node }
    }

    static func json(_ entries: [Entry]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.member("count", entries.count)
            json.key("data")
            json.array { json in for entry in entries { json.key(of: entry.node, in: entry.source.source) } }
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func key(of node: Node, in source: Source) {
        object { json in
            json.member("nodeNum", node.number.rawValue)
            json.member("nodeId", node.number.id)
            json.member("longName", node.longName)
            json.member("shortName", node.shortName)
            json.member("state", node.keyState)
            json.member("key", node.publicKey.map { base64($0.bytes) })
            json.member("announcedKey", node.announcedKey.map { base64($0.bytes) })
            json.member("since", node.keyDoubtedAt)
            json.member("verified", node.isKeyManuallyVerified)
            json.member("details", node.keyDetails)
            json.member("lastHeard", node.lastHeard)
            json.member("sourceId", source.uuid)
            json.member("sourceName", source.name)
        }
    }
}
