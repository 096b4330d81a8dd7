// A Response as libmicrohttpd wants it.

import CMicroHTTPD
import Glibc
import Synchronization

/// Hands an answer to libmicrohttpd (MHD_queue_response); 500 when it cannot be made.
func queue(_ response: Response, on connection: OpaquePointer) -> MHD_Result {
    var status = response.status
    var made = make(response)
    if made == nil {
        status = 500
        made = make(Response(status: status, headers: [("Connection", "close")]))
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    return MHD_queue_response(connection, UInt32(status), made)
}

/// Nil without memory, or when a header is not one: a line break in it would let a stranger write our headers.
private func make(_ response: Response) -> OpaquePointer? {
    let made: OpaquePointer? =
        switch response.body {
        case .empty: MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes): make(bytes)
        case .stream(let length, let next): make(StreamBody(next), length: length)
        }
    guard let made else { return nil }
    for header in response.headers where MHD_add_response_header(made, header.name, header.value) != .YES {
        MHD_destroy_response(made)
        return nil
    }
    return made
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
private func make(_ body: StreamBody, length: UInt64?) -> OpaquePointer? {
    let held = Unmanaged.passRetained(body)
    // MHD_SIZE_UNKNOWN, a macro that Swift does not see, is UInt64.max.
    let made = MHD_create_response_from_callback(
        length ?? .max, StreamBody.blockSize,
        { Unmanaged<StreamBody>.fromOpaque($0!).takeUnretainedValue().read(into: $2!, at: $1, capacity: $3) },
        held.toOpaque(), { Unmanaged<StreamBody>.fromOpaque($0!).release() })
    if made == nil { held.release() }
    return made
}

/// A body that is produced while it is sent. Used by the one thread that serves its connection.
private final class StreamBody {
    /// What libmicrohttpd asks for at a time.
    static let blockSize = 32_768

    private let next: @Sendable () throws -> [UInt8]?
    private var chunk: ArraySlice<UInt8> = []

    init(_ next: @escaping @Sendable () throws -> [UInt8]?) { self.next = next }

    /// As MHD_ContentReaderCallback: bytes written, or -1 (end of the body), -2 (break off).
    func read(into buffer: UnsafeMutablePointer<CChar>, at position: UInt64, capacity: Int) -> Int {
        while chunk.isEmpty {
            do {
                guard let produced = try next() else { return -1 }
                chunk = produced[...]
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
