// The headers of a request, and whether its head was written as HTTP/1.1 has it.
//
//     as it came         GET /a HTTP/1.1 CR LF Host: x CR LF CR LF
//     as 0.9.75 shows it GET 0  /a 0 HTTP/1.1 0 0 Host 0 _ x 0 0 0 0
//     as 1.0 shows it    GET 0  /a 0 HTTP/1.1 0 LF Host 0 _ x 0 LF CR LF
//
// libmicrohttpd 0.9.75 (Debian 12) reads much that a proxy in front of us may read otherwise, or pass on as part of something else: a
// bare LF ends a line; a line that begins with a blank goes on with the one before; a line that begins with a NUL, or with
// a colon, ends the headers, so that what follows would be a request; what stands behind a NUL is not seen. It
// leaves the head in its buffer and writes NULs where its parts end, so all that can be seen there: each part has to begin
// just where the one before it has ended. (Only a NUL before an LF looks like the end of a line. Proxies refuse NULs.)
// 1.0 (Debian 13) refuses all of this by itself when it is strict (mg_http_start), and leaves an LF as it is; it cuts off the
// blanks behind a value by a NUL in place of the first.

import CMicroHTTPD
import CShims
import Glibc

struct RequestHead {
    private(set) var fields = HeaderFields()
    /// False: what follows the request is not to be believed either.
    private(set) var isPlain: Bool
    /// Where the next line has to begin.
    private var next: UnsafeRawPointer
    /// Behind the last byte of the head.
    private let end: UnsafeRawPointer

    /// - Parameters:
    ///   - method: As libmicrohttpd gives it: the beginning of the head in its buffer; so with `version`.
    ///   - targetSize: The bytes of the target. libmicrohttpd has cut it up by now.
    init(_ handle: OpaquePointer, method: UnsafePointer<CChar>, targetSize: Int, version: UnsafePointer<CChar>) {
        let methodSize = strlen(method)
        end = UnsafeRawPointer(method) + mg_http_header_size(handle)
        next = UnsafeRawPointer(version) + strlen(version)
        isPlain =
            UnsafeRawPointer(version) == UnsafeRawPointer(method) + methodSize + 1 + targetSize + 1 && next + 4 <= end
            && HeaderFields.isToken(UnsafeRawBufferPointer(start: method, count: methodSize))
        if isPlain { passLineEnd() }
        withUnsafeMutablePointer(to: &self) {
            _ = MHD_get_connection_values_n(
                handle, .HEADER_KIND,
                { context, _, name, nameSize, value, size in
                    guard let context, let name else { return .YES }
                    context.assumingMemoryBound(to: RequestHead.self).pointee.append(
                        name: UnsafeRawBufferPointer(start: name, count: nameSize),
                        value: UnsafeRawBufferPointer(start: value, count: size))
                    return .YES
                }, $0)
        }
        isPlain = isPlain && next + 2 == end && next.loadUnaligned(as: UInt16.self) == (Self.isOf1_0 ? 0x0A0D : 0)
    }

    /// Whether the library that is loaded is 1.0 or newer.
    static let isOf1_0 = mg_http_is_of_1_0() != 0

    private mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        fields.append(name: name, value: value)
        isPlain = isPlain && isInPlace(name, value)
        guard isPlain, let start = value.baseAddress else { return }
        next = start + value.count
        passLineEnd()
    }

    /// "Name:", blanks, the value without control characters; behind it there is room for a line's end.
    private func isInPlace(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        guard let nameStart = name.baseAddress, let start = value.baseAddress, nameStart == next,
            start > nameStart + name.count, start + value.count + 2 <= end
        else { return false }
        let gap = UnsafeRawBufferPointer(start: nameStart + name.count, count: start - (nameStart + name.count))
        return gap[0] == 0 && gap.dropFirst().allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            && value.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") }
    }

    /// From the end of a value to the beginning of the next line; both of its first bytes are within the head.
    private mutating func passLineEnd() {
        let bytes = UnsafeRawBufferPointer(start: next, count: end - next)
        guard bytes[0] == 0 else { return isPlain = false }
        var feed = 1
        if Self.isOf1_0, bytes[feed] != UInt8(ascii: "\n") {
            while feed < bytes.count, bytes[feed] == UInt8(ascii: " ") || bytes[feed] == UInt8(ascii: "\t") {
                feed += 1
            }
            // The CR; where there was one blank only, it comes at once.
            feed += 1
        }
        isPlain = feed < bytes.count && bytes[feed] == (Self.isOf1_0 ? UInt8(ascii: "\n") : 0)
        next += feed + 1
    }
}
