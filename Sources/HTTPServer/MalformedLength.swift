// A Content-Length that is no number, answered instead of libmicrohttpd.
//
// 1. libmicrohttpd 0.9.75 does not show such a request to the handler: it queues an answer of its own, builds its head, and
//    then forgets that it did (`MHD_CONNECTION_HEADERS_RECEIVED` overwrites the state with `…_HEADERS_PROCESSED`). So the
//    head is built and sent a second time, and a client takes it for the body.
// 2. Nothing can be changed about that answer, and no callback comes before it but one: the log entry about the length.
// 3. That entry comes on the connection's thread and does not name the connection. But of those on this thread whose
//    headers are arriving, it is one with such a length; any other of that kind would be refused in a moment anyway.
// 4. We send the one answer ourselves and end our side of the connection, so that libmicrohttpd's cannot go out.

import CMicroHTTPD
import CShims
import Glibc

func refuseMalformedLengths(of service: Service) {
    for connection in service.connections.all {
        guard let handle = connection.handleOfArrivingHead,
            let reason = flawOfLength(handle, limit: service.limits.bodyBytes)
        else { continue }
        let session = mg_http_tls_session(handle).map { OpaquePointer($0) }
        if let bytes = lastAnswer(service.refused(reason)) { connection.sendLast(bytes, over: session) }
    }
}

/// What libmicrohttpd will not read: it looks at the first field, blanks behind the digits included, and at none beside
/// Transfer-Encoding.
private func flawOfLength(_ handle: OpaquePointer, limit: Int) -> RefusalReason? {
    guard MHD_lookup_connection_value(handle, .HEADER_KIND, "Transfer-Encoding") == nil,
        let text = MHD_lookup_connection_value(handle, .HEADER_KIND, "Content-Length")
    else { return nil }
    let digits = UnsafeRawBufferPointer(start: text, count: strlen(text))
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        return .malformedLength
    }
    return UInt64(String(decoding: digits, as: UTF8.self)) == nil ? .bodyTooLarge(limit: limit) : nil
}

/// An answer as it goes over the wire, after which the connection ends; nil unless it is short.
func lastAnswer(_ response: Response, hasBody: Bool = true) -> [UInt8]? {
    guard case .bytes(let body) = response.body, body.count <= AnswerMemory.smallest else { return nil }
    let reason = String(cString: MHD_get_reason_phrase_for(UInt32(response.status)))
    var fields = [("Date", httpDate()), ("Connection", "close"), ("Content-Length", String(body.count))]
    fields += response.headers.map { ($0.name, $0.value) }
    let lines = ["HTTP/1.1 \(response.status) \(reason)"] + fields.map { "\($0.0): \($0.1)" } + ["", ""]
    return Array(lines.joined(separator: "\r\n").utf8) + (hasBody ? body : [])
}

/// The time now as RFC 9110, 5.6.7 has it.
private func httpDate() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 64)
    strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
}
