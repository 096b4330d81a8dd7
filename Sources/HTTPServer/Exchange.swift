// One request on its way through libmicrohttpd.
//
//   request line --target()--> Exchange.init      the target before libmicrohttpd cuts it up
//   headers      --handler---> .headers           framing is checked; 100 Continue goes out unless we answer now, as
//                                                 to a POST or PUT whose body is too long, or too long for a stranger
//   body         --handler---> .body, n times     collected, or thrown away when it is refused; suspended while there is no
//                                                 memory for it
//   end          --handler---> the answer         the room's handler runs here, on the listener's thread, when it is the
//                                                 client's turn (Turns) and there is memory; an answer that comes later is
//                                                 asked for again when it is there
//   sent or gone --completed-> released
//
// libmicrohttpd takes an answer only at two places: with the headers, and after the body. Answering with the headers
// closes the connection when a body was announced.

import CMicroHTTPD
import CShims
import Glibc
import Platform

/// Used by one thread at a time: the one that libmicrohttpd gave the connection to.
final class Exchange {
    let connection: HTTPConnection
    private let target: [UInt8]
    private var method = ""
    private var fields = HeaderFields()
    private var framing = Framing()
    private var body: [UInt8] = []
    private var refusal: RefusalReason?
    /// The body is not kept, because nobody knows its sender; the head decides.
    private var isBodyLeft = false
    private var discarded = 0
    /// Bytes of the common memory that the body has, then the place of the answer, then the answer.
    private var held = 0
    /// Until when it waits for memory; nil: it has not waited.
    private var roomDeadline: UInt64?
    /// The answer goes out before the body, and closes the connection.
    private(set) var leavesBody = false
    /// No further request is read from this connection: libmicrohttpd 0.9.75 takes a bare line feed for the end of a chunk's
    /// size, also behind an extension that a proxy passes on unread, and finds another end of the body than that one.
    private var isLast = false
    private var stage = Stage.headers

    private enum Stage {
        case headers, body
        /// Others have their turn.
        case queued
        /// For memory; the request goes on, with its body or its answer.
        case awaitingRoom(LaterAnswer, isForBody: Bool)
        case end
        /// The handler has answered that the answer comes later, with these headers.
        case awaitingAnswer(LaterAnswer, headers: [(name: String, value: String)])
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
        if case .awaitingRoom(let room, _) = stage, let result = enter(room, handle, service) { return result }
        switch stage {
        case .headers:
            stage = .body
            connection.headArrived()
            let head = RequestHead(handle, method: method, targetSize: target.count, version: version)
            fields = head.fields
            refusal = head.isPlain ? nil : .malformedHead
            self.method = String(cString: method)
            return receiveHeaders(handle, service, isHTTP10: strcmp(version, "HTTP/1.0") == 0)
        case .body where size.pointee > 0:
            return receiveBody(UnsafeRawBufferPointer(start: data, count: size.pointee), size, handle, service)
        case .body:
            stage = .end
            return takeTurn(handle, service, yields: connection.yieldsToOthers())
        case .queued:
            return connection.isLeaving ? .NO : takeTurn(handle, service, yields: false)
        case .awaitingAnswer(let later, let headers):
            return fetch(later, headers, handle, service)
        case .end:
            return answer(handle, service)
        case .awaitingRoom:
            return .NO
        }
    }

    /// The request is over, or its client has left.
    func end(_ service: Service) {
        switch stage {
        case .awaitingAnswer(let later, _), .awaitingRoom(let later, _): later.abandon()
        case .queued: connection.served.turns?.drop(connection)
        case .headers, .body, .end: break
        }
        giveBack(service)
        if roomDeadline != nil { service.memory.passOn() }
    }

    // MARK: what comes

    private func receiveHeaders(_ handle: OpaquePointer, _ service: Service, isHTTP10: Bool) -> MHD_Result {
        framing = Framing(fields: fields, isHTTP10: isHTTP10)
        isLast = framing.isChunked
        refusal = refusal ?? framing.refusal ?? flaw(ofTarget: target) ?? fields.flawOfHost(isHTTP10: isHTTP10)
        let isLong = framing.announcedLength > service.limits.bodyBytes
        if isLong { refusal = refusal ?? .bodyTooLarge(limit: service.limits.bodyBytes) }
        if connection.isOfProxy {
            connection.serve(service.rules.address(request()).map(Requester.init) ?? .unnamed)
        }
        // A client that waits for "100 Continue" with a body of unknown length must not send it in vain.
        if refusal == nil,
            framing.announcedLength > service.limits.bodyBytesOfStrangers
                || framing.isChunked && framing.awaitsContinue
        {
            isBodyLeft = !service.rules.keepsBody(request())
        }
        guard refusal != nil || isBodyLeft else { return .YES }
        let closesWithAnswer = method == "POST" || method == "PUT" || refusal?.breaksFraming == true
        // Nobody waits for a body that is refused for its length or its sender. Other methods have none, but for mistakes.
        let readOn =
            refusal?.breaksFraming != true && !framing.awaitsContinue && !((isLong || isBodyLeft) && closesWithAnswer)
            && framing.announcedLength <= service.limits.bodyBytes + service.limits.discardedBytes
        if readOn { return .YES }
        if closesWithAnswer || !framing.hasBody {
            leavesBody = framing.hasBody
            return answer(handle, service)
        }
        // libmicrohttpd would ask for the body, answer or not.
        if framing.awaitsContinue { answerLast(handle, service) }
        return .NO
    }

    /// Collects some of the body, or throws it away. The connection is cut when its client sends more than we are ready to
    /// throw away.
    private func receiveBody(
        _ data: UnsafeRawBufferPointer, _ size: UnsafeMutablePointer<Int>, _ handle: OpaquePointer, _ service: Service
    ) -> MHD_Result {
        let limits = service.limits
        let length = body.count + data.count
        if refusal == nil, !isBodyLeft {
            if length > limits.bodyBytes {
                refusal = .bodyTooLarge(limit: limits.bodyBytes)
            } else if framing.isChunked, length > limits.bodyBytesOfStrangers, body.count <= limits.bodyBytesOfStrangers
            {
                isBodyLeft = !service.rules.keepsBody(request())
            }
        }
        if refusal == nil, !isBodyLeft {
            let needed = max(framing.announcedLength, length)
            if needed > AnswerMemory.smallest, let requester = connection.requester, needed > held {
                // A body that grows takes twice as much each time, as an array does.
                let more = min(max(needed, held * 2), limits.bodyBytes) - held
                guard service.memory.take(more, for: requester) else {
                    return awaitRoom(more, requester, handle, service, isForBody: true)
                        ?? receiveBody(data, size, handle, service)
                }
                held += more
            }
            if body.isEmpty { body.reserveCapacity(needed) }
            body.append(contentsOf: data)
        } else {
            discarded += length
            body = []
            giveBack(service)
        }
        size.pointee = 0
        return discarded <= limits.bodyBytes + limits.discardedBytes ? .YES : .NO
    }

    // MARK: waiting

    /// The answer, when it is the client's turn and there is memory for it.
    private func takeTurn(_ handle: OpaquePointer, _ service: Service, yields: Bool) -> MHD_Result {
        guard refusal == nil else { return answer(handle, service) }
        let requester = connection.requester
        if let requester, let turns = connection.served.turns {
            if yields || !turns.admits(requester, on: connection) {
                guard connection.becomeQueued() else { return .NO }
                stage = .queued
                turns.wait(requester, on: connection, handle)
                return .YES
            }
        } else if yields {
            // Resumed at once, it is called again in the thread's next round.
            MHD_suspend_connection(handle)
            MHD_resume_connection(handle)
            stage = .end
            return .YES
        }
        stage = .end
        return awaitPlace(handle, service) ?? answer(handle, service)
    }

    /// Takes the place of the answer before it is made, or waits for it. Nil: it is taken.
    private func awaitPlace(_ handle: OpaquePointer, _ service: Service) -> MHD_Result? {
        // A request whose body is counted may be answered: its answer frees the body.
        guard held == 0, let requester = connection.requester else { return nil }
        let bytes = service.memory.reservation { service.rules.route(request()) }
        guard bytes > 0 else { return nil }
        guard service.memory.take(bytes, for: requester) else {
            return awaitRoom(bytes, requester, handle, service, isForBody: false)
        }
        held = bytes
        return nil
    }

    /// Nil: there is room already.
    private func awaitRoom(
        _ bytes: Int, _ requester: Requester, _ handle: OpaquePointer, _ service: Service, isForBody: Bool
    ) -> MHD_Result? {
        let room = service.memory.room(bytes, for: requester)
        stage = .awaitingRoom(room, isForBody: isForBody)
        let deadline = roomDeadline ?? MonotonicClock.nanoseconds() + service.limits.memoryTime.nanoseconds
        roomDeadline = deadline
        guard service.connections.wait(connection, for: room, until: deadline) else { return .NO }
        return enter(room, handle, service)
    }

    /// Nil: the request goes on, because there is room, or because it took too long and is refused.
    private func enter(_ room: LaterAnswer, _ handle: OpaquePointer, _ service: Service) -> MHD_Result? {
        switch next(of: room, handle) {
        case .pending: return .YES
        case .unwanted: return .NO
        case .late: refusal = .noMemory
        case .response: break
        }
        if case .awaitingRoom(_, true) = stage {
            stage = .body
            service.connections.receives(connection)
            return nil
        }
        stage = .end
        return refusal == nil ? awaitPlace(handle, service) : nil
    }

    /// Suspends the connection until the answer is there.
    private func next(of later: LaterAnswer, _ handle: OpaquePointer) -> LaterAnswer.Outcome {
        let connection = PausableConnection(handle: handle, served: connection.served)
        return later.next(pause: { connection.suspend() }, resume: { connection.resume() })
    }

    private func fetch(
        _ later: LaterAnswer, _ headers: [(name: String, value: String)], _ handle: OpaquePointer, _ service: Service
    ) -> MHD_Result {
        var response: Response
        switch next(of: later, handle) {
        case .pending: return .YES
        case .unwanted: return .NO
        case .response(let given): response = given
        case .late: response = later.lateResponse() ?? refused(.answerTooLate, service)
        }
        stage = .end
        service.connections.answers(connection)
        response.headers += headers
        return deliver(response, handle, service)
    }

    // MARK: the answer

    private func request() -> Request {
        Request(
            method: method, target: target, fields: fields, body: body, peer: connection.peer, isBodyLeft: isBodyLeft)
    }

    private func answer(_ handle: OpaquePointer, _ service: Service) -> MHD_Result {
        service.connections.answers(connection)
        if let refusal { return deliver(refused(refusal, service), handle, service) }
        let request = request()
        body = []
        let response = service.response(to: request, on: connection)
        if response.isForKnownClient { connection.showedToken() }
        return deliver(response, handle, service)
    }

    /// Sends the answer past libmicrohttpd, as the last one of its connection.
    private func answerLast(_ handle: OpaquePointer, _ service: Service) {
        let response = refusal.map { refused($0, service) } ?? service.response(to: request(), on: connection)
        guard let bytes = lastAnswer(response, hasBody: method != "HEAD") else { return }
        connection.sendLast(bytes, over: mg_http_tls_session(handle).map { OpaquePointer($0) })
    }

    private func refused(_ reason: RefusalReason, _ service: Service) -> Response {
        var response = service.refused(reason)
        if reason.status == 503 { response.headers.append((name: "Retry-After", value: "10")) }
        return response
    }

    private func deliver(_ response: Response, _ handle: OpaquePointer, _ service: Service) -> MHD_Result {
        var response = response
        switch response.body {
        case .later(let later):
            // The route that makes the answer has the body, and the answer keeps its place.
            stage = .awaitingAnswer(later, headers: response.headers)
            let deadline = MonotonicClock.nanoseconds() + (later.time ?? service.limits.answerTime).nanoseconds
            guard service.connections.wait(connection, for: later, until: deadline) else { return .NO }
            return fetch(later, response.headers, handle, service)
        case .live(let body) where !service.connections.go(live: connection, with: body):
            response = refused(.tooManyLiveBodies(limit: service.connections.limit(of: connection)), service)
        case .bytes, .stream, .live, .empty: break
        }
        hold(Self.size(of: response), service)
        if roomDeadline != nil { service.memory.passOn() }
        if isLast || refusal?.breaksFraming == true || service.connections.isStopping {
            response.headers.append(("Connection", "close"))
        }
        return queue(response, on: PausableConnection(handle: handle, served: connection.served))
    }

    private static func size(of response: Response) -> Int {
        switch response.body {
        case .bytes(let bytes): bytes.count
        case .stream: AnswerMemory.stream + response.streamedFromBytes
        case .live, .later, .empty: 0
        }
    }

    /// The answer has so many bytes; what was held for it, or by the body, is that now.
    private func hold(_ bytes: Int, _ service: Service) {
        let wanted = bytes > AnswerMemory.smallest && connection.requester != nil ? bytes : 0
        if refusal == nil, wanted > 0 || held > 0 {
            service.memory.sizes.note(bytes, of: service.rules.route(request()))
        }
        guard let requester = connection.requester, wanted != held else { return }
        if wanted > held {
            service.memory.count(wanted - held, for: requester)
        } else {
            service.memory.giveBack(held - wanted, of: requester)
        }
        held = wanted
    }

    private func giveBack(_ service: Service) {
        guard held > 0, let requester = connection.requester else { return }
        service.memory.giveBack(held, of: requester)
        held = 0
    }
}
