// The headers of a request, and whether its head was written as HTTP/1.1 has it.
//
//     as it came   GET /a HTTP/1.1 CR LF Host: x CR LF CR LF
//     as we see it GET 0  /a 0 HTTP/1.1 0 0 Host 0 _ x 0 0 0 0
//
// libmicrohttpd 0.9.75 reads much that a proxy in front of us may read otherwise, or pass on as part of something else: a
// bare LF ends a line; a line that begins with a blank goes on with the one before; a line that begins with a NUL, or with
// a colon, ends the headers, so that what follows would be a request; what stands behind a NUL is not seen. It
// leaves the head in its buffer and writes NULs where its parts end, so all that can be seen there: each part has to begin
// just where the one before it has ended. (Only a NUL before an LF looks like the end of a line. Proxies refuse NULs.)

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
        let versionSize = strlen(version)
        end = UnsafeRawPointer(method) + mg_http_header_size(handle)
        next = UnsafeRawPointer(version) + versionSize + 2
        isPlain =
            UnsafeRawPointer(version) == UnsafeRawPointer(method) + methodSize + 1 + targetSize + 1 && next + 2 <= end
            && HeaderFields.isToken(UnsafeRawBufferPointer(start: method, count: methodSize))
        if isPlain { isPlain = isLineEnd(next - 2) }
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
        isPlain = isPlain && next + 2 == end && isLineEnd(next)
    }

    private mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        fields.append(name: name, value: value)
        isPlain = isPlain && isInPlace(name, value)
        if let start = value.baseAddress { next = start + value.count + 2 }
    }

    /// "Name:", blanks, the value without control characters, CR LF.
    private func isInPlace(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        guard let nameStart = name.baseAddress, let start = value.baseAddress, nameStart == next,
            start > nameStart + name.count, start + value.count + 2 <= end
        else { return false }
        let gap = UnsafeRawBufferPointer(start: nameStart + name.count, count: start - (nameStart + name.count))
        return gap[0] == 0 && gap.dropFirst().allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            && value.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") }
            && isLineEnd(start + value.count)
    }

    /// CR and LF have become two NULs.
    private func isLineEnd(_ place: UnsafeRawPointer) -> Bool {
        place.loadUnaligned(as: UInt16.self) == 0
    }
}
