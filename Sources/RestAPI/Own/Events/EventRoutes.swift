import Gateway
import HTTPServer
import JSON
import Routes
import Store
import Synchronization

// What happens, as it happens: Server-Sent Events, ours.

extension RestAPI {
    static let eventEndpoints: [Endpoint] = [
        .perSource(.get, "events", RestAPI.events),
        .perSource(.get, "ping", .info, .read, RestAPI.ping).leavingGroupOpen(),
    ]

    /// `P/events`: of all sources, unless the path or `?source=` names one. Goes on after `Last-Event-ID`, or `?after=`.
    func events(_ call: Call) throws(APIError) -> Response {
        let request = call.request
        guard request.queryValue("token") == nil, request.queryValue("access_token") == nil else {
            throw .badRequest("A token in a URL gets into logs: send it as Authorization: Bearer <token>")
        }
        let isSourceAsked = !(request.queryValue("source") ?? request.queryValue("sourceId") ?? "").isEmpty
        let selection = try EventSelection(
            request, source: try sourceOfEvents(call), hasBrokers: !call.namesSource && !isSourceAsked)
        let mayClose = try mayClose(request)
        let headers = [
            (name: "Content-Type", value: "text/event-stream"), (name: "Cache-Control", value: "no-store"),
            (name: "X-Accel-Buffering", value: "no"), Header.noSniff,
        ]
        // A HEAD, which only asks whether the stream is there, takes no place from others.
        guard request.method != "HEAD" else { return Response(headers: headers) }
        let seal = try eventSeal(of: call.caller)
        let asked = EventPlace.asked(request, seal)
        let place: EventPlace
        if let asked { place = asked } else { place = try newestPlace(selection) }
        let feed = EventFeed(
            self, selection, token: call.caller.token, seal, from: place,
            isResumed: asked.map { $0 != .unknown } ?? false)
        let body = EventStream(feed, self).body
        if let token = call.caller.token, !streams.add(body, of: token, mayClose: mayClose) {
            throw .busy("The token has \(OpenStreams.perToken) streams already", retryAfter: 60)
        }
        return Response(headers: headers, body: .live(body))
    }

    /// `?mayClose=no`: whether the token's oldest stream makes room for this one; it does unless told not to.
    private func mayClose(_ request: Request) throws(APIError) -> Bool {
        switch request.queryValue("mayClose") ?? "" {
        case "", "yes": true
        case "no": false
        default: throw .badRequest("mayClose must be yes or no")
        }
    }

    /// With what is committed: a client that comes back changes nothing.
    private func eventSeal(of caller: Caller) throws(APIError) -> EventSeal {
        do {
            return EventSeal(key: try store.readCommitted { try $0.eventKey() }, token: caller.token)
        } catch {
            throw .failed("Failed to retrieve events")
        }
    }

    private func newestPlace(_ selection: EventSelection) throws(APIError) -> EventPlace {
        var place = EventPlace()
        place.condition = gateway.conditions.next - 1
        try read("events") { reader in
            place.change = try reader.newestChange()
            place.nodes = place.change
            place.packet = selection.kinds.contains(.packet) ? try reader.packetRows().newest : -1
            place.time = try reader.newestMessageTime()
        }
        return place
    }

    private func sourceOfEvents(_ call: Call) throws(APIError) -> SourceID? {
        if call.isSourceInPath { return call.source.id }
        let asked = call.request.queryValue("source") ?? call.request.queryValue("sourceId") ?? ""
        return asked.isEmpty ? nil : try source(asked).id
    }

    /// `P/ping`: whether anything has changed, for those who ask every second.
    func ping(_ call: Call) throws(APIError) -> Response {
        var json = JSONWriter(capacity: 200)
        json.object { json in
            json.member("status", "ok")
            json.member("server_version", version)
            json.member("data_version", store.version)
            // For a token that may see none of them it stays.
            json.member("notification_version", call.caller.may(.read, .notifications) ? feed.version : 0)
        }
        return .json(.bytes(json.bytes))
    }
}

extension EventPlace {
    /// Where to go on: nil when nothing is asked for. An id that cannot be read, such as one of before they were sealed or
    /// one of another token's, is no mistake of the user: its client has missed everything.
    fileprivate static func asked(_ request: Request, _ seal: EventSeal) -> EventPlace? {
        for id in [request.header("Last-Event-ID"), request.queryValue("after")].compactMap({ $0 }) where !id.isEmpty {
            return seal.place(id) ?? .unknown
        }
        return nil
    }
}

/// A feed, and who wakes it.
private final class EventStream: Sendable {
    private let feed: Mutex<EventFeed>
    private let wake = Mutex<LiveBody.Signal?>(nil)
    private let listener = Mutex<ChangeListener?>(nil)
    private let unstored = Mutex<FeedListener?>(nil)

    init(_ feed: EventFeed, _ api: RestAPI) {
        self.feed = Mutex(feed)
        // Revoking a token wakes every stream, because any of them may use it.
        let topics: [Topic] = feed.selection.kinds.contains(.packet) ? [.tokens, .packets] : [.tokens]
        let listener = api.gateway.changes(of: feed.selection.changes, topics: topics) { [weak self] in
            self?.wake.withLock { $0 }?()
        }
        self.listener.withLock { $0 = listener }
        guard feed.selection.kinds.contains(.notification) else { return }
        let unstored = api.feed.observe { [weak self] in self?.wake.withLock { $0 }?() }
        self.unstored.withLock { $0 = unstored }
    }

    var body: LiveBody {
        LiveBody { [self] wake in
            self.wake.withLock { if $0 == nil { $0 = wake } }
            return try feed.withLock { try $0.step(wake) }
        }
    }
}
