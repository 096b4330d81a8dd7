// One request on its way through libmicrohttpd.
//
//   request line --target()--> Exchange.init      the target before libmicrohttpd cuts it up
//   headers      --handler---> .headers           framing is checked; 100 Continue goes out unless we answer now, as
//                                                 to a POST or PUT that declares too long a body
//   body         --handler---> .body, n times     collected, or thrown away when it is refused
//   end          --handler---> the answer         the room's handler runs here, on libmicrohttpd's thread; now and then
//                                                 only when the other connections have had their turn; an answer that
//                                                 comes later is asked for again when it is there
//   sent or gone --completed-> released
//
// libmicrohttpd takes an answer only at two places: with the headers, and after the body. Answering with the headers
// closes the connection when a body was announced.

import CMicroHTTPD
import CShims
import Glibc

/// Used by one thread at a time: the one that libmicrohttpd gave the connection to.
final class Exchange {
    let connection: HTTPConnection
    private let target: [UInt8]
    private var fields = HeaderFields()
    private var body: [UInt8] = []
    private var refusal: RefusalReason?
    private var discarded = 0
    /// The answer goes out before the body, and closes the connection.
    private(set) var leavesBody = false
    /// No further request is read from this connection: libmicrohttpd 0.9.75 takes a bare line feed for the end of a chunk's
    /// size, also behind an extension that a proxy passes on unread, and finds another end of the body than that one.
    private var isLast = false
    private var stage = Stage.headers

    private enum Stage {
        case headers, body, end
        /// The handler has answered that the answer comes later, with these headers.
        case waiting(LaterAnswer, headers: [(name: String, value: String)])
    }

    init(target: [UInt8], connection: HTTPConnection) {
        self.target = target
        self.connection = connection
    }

    /// One call of libmicrohttpd's access handler. `size` is set to 0 for what was taken. `.NO` cuts the connection.
    func proceed(
        _ handle: OpaquePointer, _ service: Service, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        data: UnsafePointer<CChar>?, size: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        switch stage {
        case .headers:
            stage = .body
            connection.headArrived()
            let head = RequestHead(handle, method: method, targetSize: target.count, version: version)
            fields = head.fields
            refusal = head.isPlain ? nil : .malformedHead
            return receiveHeaders(handle, service, String(cString: method), isHTTP10: strcmp(version, "HTTP/1.0") == 0)
        case .body where size.pointee > 0:
            let taken = receiveBody(UnsafeRawBufferPointer(start: data, count: size.pointee), service.limits)
            size.pointee = 0
            return taken ? .YES : .NO
        case .body where connection.yieldsToOthers():
            stage = .end
            // Resumed at once, it is called again in the thread's next round.
            MHD_suspend_connection(handle)
            MHD_resume_connection(handle)
            return .YES
        case .body, .end:
            return answer(handle, service, method: String(cString: method))
        case .waiting(let later, let headers):
            return fetch(later, headers, handle, service)
        }
    }

    /// The request is over, or its client has left.
    func end() {
        if case .waiting(let later, _) = stage { later.abandon() }
    }

    private func receiveHeaders(
        _ handle: OpaquePointer, _ service: Service, _ method: String, isHTTP10: Bool
    ) -> MHD_Result {
        let framing = Framing(fields: fields, isHTTP10: isHTTP10)
        isLast = framing.isChunked
        refusal = refusal ?? framing.refusal ?? flawOfTarget ?? flawOfHost(isHTTP10: isHTTP10)
        let isLong = framing.announcedLength > service.limits.bodyBytes
        if isLong { refusal = refusal ?? .bodyTooLarge(limit: service.limits.bodyBytes) }

        guard refusal != nil else {
            body.reserveCapacity(min(framing.announcedLength, 1 << 16))
            return .YES
        }
        let closesWithAnswer = method == "POST" || method == "PUT" || refusal?.breaksFraming == true
        // Nobody waits for a body that is refused for its length. Other methods have none, but for mistakes.
        let readOn =
            refusal?.breaksFraming == false && !framing.awaitsContinue && !(isLong && closesWithAnswer)
            && framing.announcedLength <= service.limits.bodyBytes + service.limits.discardedBytes
        if readOn { return .YES }
        if closesWithAnswer || !framing.hasBody {
            leavesBody = framing.hasBody
            return answer(handle, service, method: method)
        }
        return framing.awaitsContinue ? .YES : .NO
    }

    /// False when the client sends more than we are ready to throw away.
    private func receiveBody(_ data: UnsafeRawBufferPointer, _ limits: Limits) -> Bool {
        if refusal == nil, body.count + data.count > limits.bodyBytes {
            refusal = .bodyTooLarge(limit: limits.bodyBytes)
            discarded = body.count
            body = []
        }
        guard refusal != nil else {
            body.append(contentsOf: data)
            return true
        }
        discarded += data.count
        return discarded <= limits.bodyBytes + limits.discardedBytes
    }

    private func answer(_ handle: OpaquePointer, _ service: Service, method: String) -> MHD_Result {
        connection.becomeAnswering()
        if let refusal { return deliver(service.refused(refusal), handle, service) }
        let request = Request(method: method, target: target, fields: fields, body: body, peer: connection.peer)
        body = []
        return deliver(service.response(to: request, on: connection), handle, service)
    }

    private func deliver(_ response: Response, _ handle: OpaquePointer, _ service: Service) -> MHD_Result {
        var response = response
        switch response.body {
        case .later(let later):
            stage = .waiting(later, headers: response.headers)
            guard service.connections.wait(connection, for: later) else { return .NO }
            return fetch(later, response.headers, handle, service)
        case .live(let body) where !service.connections.go(live: connection, with: body):
            response = service.refused(.tooManyLiveBodies(limit: service.connections.limit(of: connection)))
            response.headers.append((name: "Retry-After", value: "10"))
        case .live, .empty, .bytes, .stream: break
        }
        if isLast || refusal?.breaksFraming == true || service.connections.isStopping {
            response.headers.append(("Connection", "close"))
        }
        return queue(response, on: handle)
    }

    /// Suspends the connection until the answer is there. libmicrohttpd ends no connection that is suspended, so its
    /// handle is good until it is resumed.
    private func fetch(
        _ later: LaterAnswer, _ headers: [(name: String, value: String)], _ handle: OpaquePointer, _ service: Service
    ) -> MHD_Result {
        let paused = PausedConnection(handle: handle)
        var response: Response
        switch later.next(
            pause: { MHD_suspend_connection(paused.handle) }, resume: { MHD_resume_connection(paused.handle) })
        {
        case .pending: return .YES
        case .unwanted: return .NO
        case .response(let given): response = given
        case .late:
            response = service.refused(.answerTooLate)
            response.headers.append((name: "Retry-After", value: "10"))
        }
        stage = .end
        service.connections.waited(connection)
        response.headers += headers
        return deliver(response, handle, service)
    }

    private var flawOfTarget: RefusalReason? {
        for (index, byte) in target.enumerated() {
            if byte <= 0x20 || byte == 0x7f { return .malformedTarget }
            if byte == UInt8(ascii: "%"), target[index...].starts(with: "%00".utf8) { return .nulInTarget }
        }
        return nil
    }

    private func flawOfHost(isHTTP10: Bool) -> RefusalReason? {
        let hosts = fields.count(of: "Host")
        return hosts == 1 || (hosts == 0 && isHTTP10) ? nil : .badHost
    }
}

/// How the end of a request's body is marked (RFC 9112, 6.3).
private struct Framing {
    /// Content-Length, 0 without one.
    private(set) var announcedLength = 0
    private(set) var hasBody = false
    private(set) var isChunked = false
    private(set) var awaitsContinue = false
    private(set) var refusal: RefusalReason?

    init(fields: HeaderFields, isHTTP10: Bool) {
        let lengths = fields.count(of: "Content-Length")
        let codings = fields.count(of: "Transfer-Encoding")
        hasBody = lengths + codings > 0
        isChunked = codings > 0
        guard fields.hasTokenNames else {
            refusal = .malformedHeader
            return
        }
        guard hasBody else { return }
        awaitsContinue = fields.first("Expect").map { HeaderFields.equal($0.utf8, "100-continue".utf8) } ?? false
        // libmicrohttpd has refused what is no number; one beyond Int is beyond any limit.
        if let text = fields.first("Content-Length") { announcedLength = Int(text) ?? .max }
        if lengths + codings > 1 || (codings > 0 && isHTTP10) {
            refusal = .ambiguousLength
        } else if codings == 1, !HeaderFields.equal((fields.first("Transfer-Encoding") ?? "").utf8, "chunked".utf8) {
            refusal = .unsupportedTransferEncoding
        }
    }
}
