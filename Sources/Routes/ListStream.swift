import HTTPServer
import JSON
import Synchronization

/// A list, in the contract's envelope or bare, printed slice by slice while it is sent: however long it is, only its keys
/// and one buffer are held.
public final class ListStream<Key: Sendable>: Sendable {
    public typealias Write = @Sendable (inout JSONWriter, ArraySlice<Key>) throws -> Void
    public typealias Head = @Sendable (inout JSONWriter) -> Void

    private struct State: ~Copyable {
        var rest: ArraySlice<Key>
        var json: JSONWriter
        var isStarted = false
        var isDone = false
    }

    /// What a row takes: a message has 750 bytes.
    private static var rowBytes: Int { 800 }

    private let state: Mutex<State>
    private let slice: Int
    private let isBare: Bool
    private let head: Head
    private let write: Write

    /// - Parameters:
    ///   - isBare: an array of the rows, without an envelope.
    ///   - head: members that stand between the count and the rows.
    public init(_ keys: [Key], slice: Int, isBare: Bool = false, head: @escaping Head, write: @escaping Write) {
        // As much as the rows of a slice are likely to take: a buffer that doubles until they fit copies all of them, and the
        // system clears each of its steps (mallopt).
        let capacity = keys.count <= slice ? max(4096, keys.count * Self.rowBytes) : 128 * 1024
        state = Mutex(State(rest: keys[...], json: JSONWriter(capacity: capacity)))
        self.slice = slice
        self.isBare = isBare
        self.head = head
        self.write = write
    }

    /// What the keys take in memory, to the end.
    var keyBytes: Int { state.withLock { $0.rest.count } * MemoryLayout<Key>.stride }

    /// The next chunk; nil behind the last one.
    public func next() throws -> [UInt8]? {
        try state.withLock { state in
            if state.isDone { return nil }
            if !state.isStarted {
                state.isStarted = true
                if !isBare {
                    state.json.open(UInt8(ascii: "{"))
                    state.json.member("success", true)
                    state.json.member("count", state.rest.count)
                    head(&state.json)
                    state.json.key("data")
                }
                state.json.open(UInt8(ascii: "["))
            }
            try write(&state.json, state.rest.prefix(slice))
            state.rest = state.rest.dropFirst(slice)
            if state.rest.isEmpty {
                state.json.close(UInt8(ascii: "]"))
                if !isBare { state.json.close(UInt8(ascii: "}")) }
                state.isDone = true
            }
            return state.json.takeChunk()
        }
    }
}

extension Response {
    /// A list under an entity tag: printed at once when it fits into one slice, else while it is sent.
    public static func list<Key: Sendable>(
        _ keys: [Key], slice: Int, tag: EntityTag?, head: @escaping ListStream<Key>.Head = { _ in },
        write: @escaping ListStream<Key>.Write
    ) throws -> Response {
        try streamed(isShort: keys.count <= slice, tag) {
            ListStream(keys, slice: slice, head: head, write: write)
        }
    }

    /// The same without an envelope.
    public static func array<Key: Sendable>(
        _ keys: [Key], slice: Int, tag: EntityTag?, write: @escaping ListStream<Key>.Write
    ) throws -> Response {
        try streamed(isShort: keys.count <= slice, tag) {
            ListStream(keys, slice: slice, isBare: true, head: { _ in }, write: write)
        }
    }

    /// A list for a request, in the contract's envelope or bare: one that fits into a slice is under a tag of its own bytes.
    ///
    /// - Parameter tag: of a longer one. It covers what the rows are made from, and which keys there are.
    public static func list<Key: Sendable>(
        _ keys: [Key], slice: Int, isBare: Bool, to request: Request, tag: EntityTag,
        write: @escaping ListStream<Key>.Write
    ) throws -> Response {
        let isShort = keys.count <= slice
        return try streamed(isShort: isShort, isShort ? .ofTheBody : tag) {
            ListStream(keys, slice: slice, isBare: isBare, head: { _ in }, write: write)
        }
        .unlessKnown(to: request)
    }

    private static func streamed<Key: Sendable>(
        isShort: Bool, _ tag: EntityTag?, _ stream: () -> ListStream<Key>
    ) throws -> Response {
        // Printed once more for its tag: a long list is never held as a whole.
        let tag = tag?.isOfTheBody == true && !isShort ? try EntityTag(ofPieces: stream().next) : tag
        let stream = stream()
        if isShort { return .json(.bytes(try stream.next() ?? []), tag: tag) }
        var response = Response.json(.stream(length: nil) { try stream.next() }, tag: tag)
        response.streamedFromBytes = stream.keyBytes
        return response
    }
}
