// A Response as libmicrohttpd wants it.

import CMicroHTTPD
import Glibc
import Synchronization

/// Hands an answer to libmicrohttpd (MHD_queue_response); 500 when it cannot be made.
func queue(_ response: Response, on connection: PausableConnection) -> MHD_Result {
    var status = response.status
    var made = make(response, on: connection)
    if made == nil {
        status = 500
        made = make(Response(status: status, headers: [("Connection", "close")]), on: connection)
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    return MHD_queue_response(connection.handle, UInt32(status), made)
}

/// Nil without memory, or when a header is not one: a line break in it would let a stranger write our headers.
private func make(_ response: Response, on connection: PausableConnection) -> OpaquePointer? {
    let made: OpaquePointer? =
        switch response.body {
        case .empty: MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes): make(bytes)
        case .stream(let length, let next): make(StreamBody { try next().map { .bytes($0) } ?? .end }, length: length)
        case .live(let body): make(body, on: connection)
        // The exchange has waited for it.
        case .later: nil
        }
    guard let made else { return nil }
    for header in response.headers where !add(header, to: made) {
        MHD_destroy_response(made)
        return nil
    }
    return made
}

/// MHD_add_response_header. Swift copies a text that is given to C to an array; withCString shows C the text itself.
private func add(_ header: (name: String, value: String), to response: OpaquePointer) -> Bool {
    header.name.withCString { name in
        header.value.withCString { MHD_add_response_header(response, name, $0) == .YES }
    }
}

/// Keeps the array alive while libmicrohttpd sends from its storage.
private final class HeldBytes {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// MHD_create_response_from_buffer_with_free_callback_cls: no copy.
private func make(_ bytes: [UInt8]) -> OpaquePointer? {
    // An array's storage is one heap object; it stays where it is while the box holds it and nobody changes it.
    let start = bytes.withUnsafeBufferPointer { UnsafeMutableRawPointer(mutating: $0.baseAddress) }
    let held = Unmanaged.passRetained(HeldBytes(bytes))
    let made = MHD_create_response_from_buffer_with_free_callback_cls(
        bytes.count, start, { Unmanaged<HeldBytes>.fromOpaque($0!).release() }, held.toOpaque())
    if made == nil { held.release() }
    return made
}

/// MHD_create_response_from_callback.
private func make(_ body: StreamBody, length: UInt64?, blockSize: Int = StreamBody.blockSize) -> OpaquePointer? {
    let held = Unmanaged.passRetained(body)
    // MHD_SIZE_UNKNOWN, a macro that Swift does not see, is UInt64.max.
    let made = MHD_create_response_from_callback(
        length ?? .max, blockSize,
        { Unmanaged<StreamBody>.fromOpaque($0!).takeUnretainedValue().read(into: $2!, at: $1, capacity: $3) },
        held.toOpaque(), { Unmanaged<StreamBody>.fromOpaque($0!).release() })
    if made == nil { held.release() }
    return made
}

/// The same for a body during which the connection pauses.
private func make(_ body: LiveBody, on connection: PausableConnection) -> OpaquePointer? {
    make(
        StreamBody(
            { try body.next(pause: { connection.suspend() }, resume: { connection.resume() }) },
            gone: { body.abandon() }),
        length: nil, blockSize: StreamBody.liveBlockSize)
}

/// A connection that libmicrohttpd may be told to leave alone for a while. It ends none meanwhile, so the handle is good until
/// it is resumed. `@unchecked Sendable`: libmicrohttpd allows the two calls from any thread. It wakes its own threads, not ours.
struct PausableConnection: @unchecked Sendable {
    let handle: OpaquePointer
    let served: ServedSocket

    /// MHD_suspend_connection.
    func suspend() { MHD_suspend_connection(handle) }

    /// MHD_resume_connection.
    func resume() {
        MHD_resume_connection(handle)
        if served.turns != nil { served.wakeEvent.signal() }
    }
}

/// A body that is produced while it is sent. Used by the one thread that serves its connection.
private final class StreamBody {
    /// What libmicrohttpd asks for at a time.
    static let blockSize = 32_768
    /// The same of a live body, which is kept for as long as it lasts. Chunks have their room in the connection's memory: only
    /// answers to HTTP/1.0 go through this one.
    static let liveBlockSize = 4096

    private let next: @Sendable () throws -> LiveBody.Step
    /// The body is sent, or the client has left.
    private let gone: @Sendable () -> Void
    private var chunk: ArraySlice<UInt8> = []

    init(_ next: @escaping @Sendable () throws -> LiveBody.Step, gone: @escaping @Sendable () -> Void = {}) {
        self.next = next
        self.gone = gone
    }

    deinit { gone() }

    /// As MHD_ContentReaderCallback: bytes written, 0 (nothing, the connection pauses), or -1 (end of the body),
    /// -2 (break off).
    func read(into buffer: UnsafeMutablePointer<CChar>, at position: UInt64, capacity: Int) -> Int {
        while chunk.isEmpty {
            do {
                switch try next() {
                case .bytes(let produced): chunk = produced[...]
                case .nothing, .pause: return 0
                case .end: return -1
                }
            } catch {
                return -2
            }
        }
        let count = min(capacity, chunk.count)
        UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(from: chunk.prefix(count))
        chunk = count == chunk.count ? [] : chunk.dropFirst(count)
        return count
    }
}
