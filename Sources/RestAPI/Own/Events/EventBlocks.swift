import JSON

/// Blocks of a `text/event-stream` (WHATWG HTML, "server-sent events") that wait to be sent.
struct EventBlocks {
    /// Bytes that go out at once, at a border of blocks: a chunk.
    static let chunk = 16_384

    private let seal: EventSeal
    private var blocks: [[UInt8]] = []
    /// Bytes that wait.
    private(set) var size = 0

    init(_ seal: EventSeal) { self.seal = seal }

    /// Beyond it nothing more is read: what one row makes still finds room in a chunk, as a rule.
    var isFull: Bool { size >= Self.chunk * 3 / 4 }
    var isEmpty: Bool { blocks.isEmpty }

    /// - Parameters:
    ///   - id: nil: the one of the block before stays in force at the reader's.
    ///   - data: one value; a text in it has no line ends as they are.
    mutating func add(_ kind: EventKind, id: EventPlace?, retry: Int? = nil, _ data: (inout JSONWriter) -> Void) {
        var json = JSONWriter(capacity: 1024)
        data(&json)
        var block: [UInt8] = []
        if let retry { block += Array("retry: \(retry)\n".utf8) }
        if let id { block += Array("id: \(seal.id(of: id))\n".utf8) }
        block += Array("event: \(kind.rawValue)\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
        add(block)
    }

    /// A comment, by which a reader and the proxies in between see that the connection stands; with an id it is a block
    /// that tells nothing and still counts.
    mutating func addHeartbeat(id: EventPlace?) {
        add(Array((id.map { ":\nid: \(seal.id(of: $0))\n\n" } ?? ":\n\n").utf8))
    }

    private mutating func add(_ block: [UInt8]) {
        blocks.append(block)
        size += block.count
    }

    /// The next chunk; nil: there is nothing.
    mutating func take() -> [UInt8]? {
        guard !blocks.isEmpty else { return nil }
        var (chunk, count) = ([] as [UInt8], 0)
        while count < blocks.count, count == 0 || chunk.count + blocks[count].count <= Self.chunk {
            chunk += blocks[count]
            count += 1
        }
        blocks.removeFirst(count)
        size -= chunk.count
        return chunk
    }
}
