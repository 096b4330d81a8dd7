import HTTPServer
import JSON
import Platform
import Store

// Where a request is answered, once it is known who asks for what.
//
//     GET                  --> here; what takes longer than 50 ms again aside, one after the other, in turns by client (LongReads)
//     everything else      --> aside: it may wait for the disk, for seconds when that is slow
//     on the local socket  --> here: commands of this machine have threads of their own
//
// A client has one request on a connection at a time, so what it asks for there stays in its order.

/// A request, and what it asks for.
struct Asked: Sendable {
    let request: Request
    let body: JSONValue?
    let caller: Caller
    let endpoint: Endpoint
    let parameters: [String]
    /// As the path names it.
    let source: String?
    /// What the client has used of its limit.
    let standing: RateLimit.Standing?

    /// Changes something, for all that is known.
    var isChange: Bool {
        if case .open = endpoint.access { return false }
        return endpoint.method != .get
    }
}

extension API {
    /// The endpoint's answer, or one that comes later.
    func handle(_ asked: Asked) throws(APIError) -> Response {
        if asked.request.isLocal { return try answer(asked, within: .own) }
        let client = proxies.client(of: asked.request)
        if asked.isChange { return try commitAside(asked, client) }
        guard asked.endpoint.method == .get else { return try answer(asked, within: .own) }
        let patience = longReads.isBusy(with: client) ? LongReads.shortPatience : LongReads.patience
        do throws(APIError) {
            try awaitGroup(of: asked.endpoint, within: patience)
            var response = try answer(asked, within: .shared(patience))
            // A radio gives it later, and knows nothing of limits.
            if case .later = response.body { response.add(asked.standing) }
            return response
        } catch .takesLong {
            let end = MonotonicClock.nanoseconds() + Store.patience
            let answer = LaterAnswer { answer in
                longReads.add(client) { answer.give(self.later(asked, within: .putAside(until: end, answer), answer)) }
            }
            return Response(body: .later(answer))
        }
    }

    /// What is open to everybody waits for nothing.
    private func awaitGroup(of endpoint: Endpoint, within nanoseconds: UInt64) throws(APIError) {
        if case .open = endpoint.access { return }
        guard endpoint.leavesGroupOpen || store.settle(within: nanoseconds) else { throw .takesLong }
    }

    private func commitAside(_ asked: Asked, _ client: Client) throws(APIError) -> Response {
        guard commits.hasPlace(for: client) else { throw .busy("Too many changes wait for the disk", retryAfter: 5) }
        // Done for good, whether its client waits or not.
        let answer = LaterAnswer(isForItsClient: false) { answer in
            commits.add(client) { answer.give(self.later(asked, within: .own, answer)) }
        }
        return Response(body: .later(answer))
    }

    private func later(_ asked: Asked, within time: ReadingTime, _ answer: LaterAnswer) -> Response {
        var response: Response
        do throws(APIError) {
            guard !answer.isUnwanted else { return Response(status: 503) }
            // It may have been revoked while the request waited.
            if let token = asked.caller.token, try tokens.caller(id: token, now: tokenTime) == nil {
                throw .tokenInvalid
            }
            response = try self.answer(asked, within: time)
        } catch {
            response = error.response
        }
        response.add(asked.standing)
        return response
    }

    private func answer(_ asked: Asked, within time: ReadingTime) throws(APIError) -> Response {
        let (request, endpoint) = (asked.request, asked.endpoint)
        let name = asked.source ?? request.sourceAsked(asked.body)
        let source = endpoint.isPerSource ? try source(name, asked.caller, endpoint) : nil
        var call = Call(request, asked.body, asked.caller, asked.parameters, source: source)
        call.isSourceInPath = asked.source != nil
        call.namesSource = name.map { Router.lowercased($0) != "default" } ?? false
        var api = self
        api.readingTime = time
        // What has the tag of its body was printed before anybody knew whether the client has it.
        var response = try endpoint.handler(api)(call).unlessKnown(to: request)
        if let cookie = cookies.setCookie(
            for: asked.caller, request, base: base(of: request), now: WallClock.milliseconds())
        {
            response.headers.append((name: "Set-Cookie", value: cookie))
        }
        return response
    }

    // MARK: for the routes

    /// Has everything committed that was handed over before, also what waits for its group: for what must not be shown later than
    /// elsewhere.
    public func awaitWhatIsWritten() throws(APIError) {
        if case .shared(let time) = readingTime {
            guard store.settle(within: time, always: true) else { throw .takesLong }
        } else {
            store.settle(within: .max, always: true)
        }
    }

    /// Makes a small change of a kind that comes often, together with others' (``SharedCommits``): a mark of the
    /// caller's own token, or a text for a broker. It may throw only what the store throws, because the others would
    /// fail with it.
    ///
    /// - Parameters:
    ///   - what: what is said to have failed when the disk does.
    ///   - isNews: whether the change would change anything; otherwise nothing is committed. Not asked while the disk fails,
    ///     or while an earlier change is on its way there.
    ///   - answer: what is answered when it is on disk.
    public func commitShared(
        _ call: Call, failing what: String, isNews: (Reader) throws -> Bool,
        change: @escaping @Sendable (Writer) throws -> Void,
        answer: @escaping @Sendable () throws(APIError) -> Response
    ) throws(APIError) -> Response {
        if store.health.failingSince == nil, sharedCommits.pendingCount == 0 {
            guard try read("what is known", to: "look up", isNews) else { return try answer() }
        }
        let client = proxies.client(of: call.request)
        return Response(
            body: .later(
                LaterAnswer(isForItsClient: false) { later in
                    sharedCommits.add(change) { result in
                        commits.add(client) {
                            do throws(APIError) {
                                guard case .success = result else { throw APIError.failed(what) }
                                later.give(try answer())
                            } catch {
                                later.give(error.response)
                            }
                        }
                    }
                }))
    }
}

extension Response {
    /// What the client has used of its limit, unless the answer says it of a narrower one.
    mutating func add(_ standing: RateLimit.Standing?) {
        guard let standing, !headers.contains(where: { $0.name == "RateLimit-Limit" }) else { return }
        headers += standing.headers
    }
}
