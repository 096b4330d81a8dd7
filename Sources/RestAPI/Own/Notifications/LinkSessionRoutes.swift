import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Our own routes for radios, the links to them and their events, in the shapes of the claudiator family: a device is a radio, a
// session a link to it, an event something that happened. All of it comes from the journal.

extension RestAPI {
    static let linkSessionEndpoints: [Endpoint] = [
        .v1(.get, "devices", Permission(.info, .read), RestAPI.devices),
        .v1(.get, "devices/{deviceId}/sessions", Permission(.info, .read), RestAPI.deviceSessions),
        .v1(.get, "sessions", Permission(.info, .read), RestAPI.sessions),
        .v1(.get, "sessions/{sessionId}/events", Permission(.info, .read), RestAPI.sessionEvents),
    ]

    private func sourcesAsked(_ call: Call) throws(APIError) -> [FoundSource] {
        let asked = call.request.queryValue("source") ?? call.request.queryValue("sourceId") ?? ""
        if !asked.isEmpty { return [try source(asked)] }
        return try read("sources") { try $0.sources() }
    }

    /// `devices?source=`: the most recently seen first.
    func devices(_ call: Call) throws(APIError) -> Response {
        try awaitWhatIsWritten()
        let sources = try sourcesAsked(call)
        let rows = try read("devices") { reader in
            var newest: [SourceID: LinkSession] = [:]
            var sessions = LinkSessions(reader)
            while newest.count < sources.count, let session = try sessions.nextSession() {
                guard sources.contains(where: { $0.id == session.source }), newest[session.source] == nil else {
                    continue
                }
                newest[session.source] = session
            }
            return try sources.map { found -> (found: FoundSource, lastSeen: Int64, isLive: Bool) in
                let session = newest[found.id]
                let seen = [session?.lastEvent, try traffic(of: found, for: call.caller, reader)].compactMap(\.self)
                return (found, seen.reduce(found.source.createdAt, max), session?.isLive ?? false)
            }
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.key("devices")
                json.array { json in
                    for row in rows.sorted(by: { $0.lastSeen > $1.lastSeen }) {
                        json.object { json in
                            json.member("device_id", row.found.source.uuid)
                            json.member("device_name", row.found.source.name)
                            json.member("platform", "linux")
                            json.member("first_seen", ISO8601.text(row.found.source.createdAt))
                            json.member("last_seen", ISO8601.text(row.lastSeen))
                            json.member("active_sessions", row.isLive ? 1 : 0)
                        }
                    }
                }
            }
        }
    }

    /// `devices/{id}/sessions?status=&limit=&offset=&exclude_ended=`.
    func deviceSessions(_ call: Call) throws(APIError) -> Response {
        try sessions(call, of: [try source(call.parameters[0])])
    }

    /// `sessions?status=&limit=&offset=&exclude_ended=&source=`: the newest first.
    func sessions(_ call: Call) throws(APIError) -> Response { try sessions(call, of: try sourcesAsked(call)) }

    private func sessions(_ call: Call, of sources: [FoundSource]) throws(APIError) -> Response {
        // A link that is shown as live elsewhere has its row here.
        try awaitWhatIsWritten()
        let (limit, offset) = (call.request.limit(default: 50, cap: 200), call.request.offset)
        let status = try call.request.sessionStatus()
        let withoutEnded = ["true", "1"].contains(call.request.queryValue("exclude_ended"))
        let rows = try read("sessions") { reader in
            var (rows, skipped) = ([ShownSession](), 0)
            var sessions = LinkSessions(reader)
            while rows.count <= limit, let session = try sessions.nextSession() {
                guard let found = sources.first(where: { $0.id == session.source }) else { continue }
                let shown = try shown(session, found, for: call.caller, reader)
                if withoutEnded && shown.status == .ended || status.map({ $0 != shown.status.rawValue }) ?? false {
                    continue
                }
                if skipped < offset { skipped += 1 } else { rows.append(shown) }
            }
            return rows
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.key("sessions")
                json.array { json in
                    for row in rows.prefix(limit) { json.session(row) }
                }
                json.member("has_more", rows.count > limit)
                json.member("next_offset", offset + min(rows.count, limit))
            }
        }
    }

    /// When the radio last heard something; nil for callers who may not read everything.
    private func traffic(of found: FoundSource, for caller: Caller, _ reader: Reader) throws -> Int64? {
        caller.readsEverything ? try reader.lastTraffic(of: found) : nil
    }

    private func shown(
        _ session: LinkSession, _ found: FoundSource, for caller: Caller, _ reader: Reader
    ) throws -> ShownSession {
        guard session.isLive else { return ShownSession(session, found, .ended, lastEvent: session.lastEvent) }
        let traffic = try traffic(of: found, for: caller, reader)
        let status = gateway.status(
            of: session, lastTraffic: traffic, doubtedKeys: try reader.doubtedKeyCount(in: found.id), at: clock())
        return ShownSession(session, found, status, lastEvent: max(session.lastEvent, traffic ?? 0))
    }

    /// `sessions/{id}/events?limit=`: what happened to the link and its radio, and to the gateway meanwhile, newest first.
    func sessionEvents(_ call: Call) throws(APIError) -> Response {
        try awaitWhatIsWritten()
        let limit = call.request.limit(default: 100, cap: 200)
        let id = call.parameters[0]
        guard let point = id.lastIndex(of: "."), let row = Int64(id[id.index(after: point)...]), row >= 0 else {
            throw .notFound("Session \(id) not found")
        }
        let found = try source(String(id[..<point]))
        let rows = try read("events") { reader in
            guard let rows = try reader.rowsOfLinkSession(row, of: found.id) else {
                throw APIError.notFound("Session \(id) not found")
            }
            return try reader.happenings(in: rows, of: found.id, limit: limit) { happening in
                try call.caller.maySee(happening, reader)
            }
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.key("events")
                json.array { json in
                    for row in rows { json.sessionEvent(row) }
                }
            }
        }
    }
}

extension Caller {
    /// Rows about a node are for those who may see it. The radio's own notices may name any node, so they are for those who may see
    /// all of them.
    fileprivate func maySee(_ happening: Happening, _ reader: Reader) throws -> Bool {
        switch happening.kind {
        case .key, .renamed:
            guard may(.read, .nodes), let number = happening.node else { return false }
            return mayView(try reader.node(number, in: happening.source)?.channel)
        case .notice: return may(.read, .nodes) && channels(for: .viewOnMap) == nil
        default: return true
        }
    }
}

extension Request {
    /// `status`: a word of the family's clients, one of which no session of ours has; nil for all.
    fileprivate func sessionStatus() throws(APIError) -> String? {
        guard let status = queryValue("status"), !status.isEmpty else { return nil }
        let known = LinkSession.Status.allCases.map(\.rawValue) + ["waiting_for_permission"]
        guard known.contains(status) else {
            throw .badRequest(
                "There is no status \(status.quotedStart); there are \(known.joined(separator: ", "))")
        }
        return status
    }
}
