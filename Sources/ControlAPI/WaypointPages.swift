import Gateway
import HTTPServer
import JSON
import MeshModel
import Platform
import Routes
import Store

// `mesh-gateway waypoint`: points on the map that nodes share.

extension ControlAPI {
    static let waypointPages: [LocalPage] = [LocalPage("/local/waypoints", "waypoints/1", WaypointPage.list)]

    static let waypointCommandEndpoints: [Endpoint] = [
        .local(.post, "/local/waypoints", ControlAPI.createWaypoint),
        .local(.post, "/local/waypoints/{id}", ControlAPI.changeWaypointLocally),
        .local(.post, "/local/waypoints/{id}/delete", ControlAPI.deleteWaypointLocally),
    ]

    /// `POST /local/waypoints?source= {name, latitude, longitude, …}`: when it answers, it is on disk and on its way.
    private func createWaypoint(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let posted = try PostedWaypoint(call.body, isNew: true, now: clock() / 1000)
        var waypoint = Waypoint(id: 0)
        posted.apply(to: &waypoint)
        let made: Record<Waypoint>
        do {
            made = try gateway.create(
                waypoint, isLocked: posted.isLocked ?? false, on: posted.channel ?? 0, in: source.id)
        } catch {
            throw APIError(error)
        }
        return try done("created", made.value.id, made, call, source)
    }

    private func changeWaypointLocally(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let id = try waypointID(call, in: source)
        let posted = try PostedWaypoint(call.body, isNew: false, now: clock() / 1000)
        if posted.channel != nil {
            throw .badRequest("a waypoint stays on its channel: delete it and make another one")
        }
        let changed: Record<Waypoint>
        do {
            changed = try gateway.changeWaypoint(
                id, isLocked: posted.isLocked, in: source.id, mayWrite: { _ in true }
            ) { posted.apply(to: &$0) }
        } catch {
            throw APIError(error)
        }
        return try done("changed", id, changed, call, source)
    }

    private func deleteWaypointLocally(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let id = try waypointID(call, in: source)
        let isTold: Bool
        do {
            isTold = try gateway.deleteWaypoint(id, in: source.id, mayWrite: { _ in true })
        } catch {
            throw APIError(error)
        }
        return try done("deleted", id, nil, isTold: isTold, call, source)
    }

    /// By its id, or by a name that only one has.
    private func waypointID(_ call: Call, in source: FoundSource) throws(APIError) -> UInt32 {
        let word = call.parameters[0]
        if let id = UInt32(word), id > 0 { return id }
        let now = clock()
        let ids = try read("waypoints") { try $0.waypoints(in: source.id) }
            .filter { $0.value.name.lowercased() == word.lowercased() && !$0.value.isExpired(at: now) }
            .map(\.value.id)
        guard ids.count != 1 else { return ids[0] }
        throw ids.isEmpty
            ? .notFound("There is no waypoint \"\(word)\"; mesh-gateway waypoint list shows them")
            : .conflict(
                "Several waypoints are called \"\(word)\", name one by its id: "
                    + ids.prefix(8).map { "\($0)" }.joined(separator: ", "))
    }

    private func done(
        _ change: String, _ id: UInt32, _ record: Record<Waypoint>?, isTold: Bool = true, _ call: Call,
        _ source: FoundSource
    ) throws(APIError) -> Response {
        let shown = try read("the waypoint") { reader in
            try record.map { try WaypointPage.Shown($0, question(call, reader), in: source) }
        }
        return answer("waypoint/1", call, source) { json in
            json.member("change", change)
            json.member("id", id)
            json.member("isTold", isTold)
            json.key("waypoint")
            if let shown { json.object { $0.waypoint(shown) } } else { json.null() }
        }
    }
}

enum WaypointPage {
    /// A waypoint with what is known of those who are named in it.
    struct Shown {
        let record: Record<Waypoint>
        let owner: Node?
        let channelName: String?
        let isChangeable: Bool

        init(_ record: Record<Waypoint>, _ question: LocalQuestion, in source: FoundSource) throws {
            self.record = record
            owner = try question.reader.node(record.node, in: source.id)
            let names = try question.channelNames(of: source)
            channelName = record.channel.flatMap { names[Int($0)] }
            let lock = record.value.lockedTo
            isChangeable = lock.rawValue == 0 || lock == question.ownNumber(of: source)
        }
    }

    /// `?all=true`: also those that have expired.
    static func list(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let now = WallClock.milliseconds()
        let isAll = question.request.queryValue("all") == "true"
        let rows = try question.reader.waypoints(in: source.id).filter { isAll || !$0.value.isExpired(at: now) }
        let shown = try rows.map { try Shown($0, question, in: source) }
        json.source(source)
        json.key("waypoints")
        json.array { json in for waypoint in shown { json.object { $0.waypoint(waypoint) } } }
    }
}

extension JSONWriter {
    fileprivate mutating func waypoint(_ shown: WaypointPage.Shown) {
        let waypoint = shown.record.value
        member("id", waypoint.id)
        member("name", waypoint.name)
        member("description", waypoint.description)
        member("icon", waypoint.iconText)
        member("latitude", waypoint.latitudeI.map { Double($0) / 1e7 })
        member("longitude", waypoint.longitudeI.map { Double($0) / 1e7 })
        member("channel", shown.record.channel)
        member("channelName", shown.channelName)
        time("expiresAt", seconds: waypoint.end.map { Int64($0) })
        member("lockedTo", waypoint.lockedTo.rawValue == 0 ? nil : waypoint.lockedTo.id)
        member("isChangeable", shown.isChangeable)
        end("from", shown.record.node, shown.owner)
        time("updatedAt", milliseconds: shown.record.at)
    }
}

extension APIError {
    fileprivate init(_ refusal: WaypointRefusal) {
        switch refusal {
        case .notConnected:
            self = .brief(503, "No radio is connected, so nobody can be told; mesh-gateway status says why")
        case .transmitDisabled:
            self = .conflict(
                "The radio's transmitter is switched off; mesh-gateway radio config set lora.tx_enabled=true switches it on"
            )
        case .notFound: self = .notFound("There is no such waypoint; mesh-gateway waypoint list shows them")
        case .locked(let node): self = .conflict("Only \(node.id) may change this waypoint: it is locked to it")
        case .closed(let channel):
            self = .forbidden("Nobody may write \(channel.map { "on channel \($0)" } ?? "direct messages")")
        case .noChannel(let channel):
            self = .conflict("The radio has no channel \(channel); mesh-gateway channels lists them")
        case .noKey(let node):
            self = .conflict(
                "The waypoint is a direct message from \(node.id), and there is no key to encrypt a change for it; "
                    + "mesh-gateway request nodeinfo '\(node.id)' asks for it")
        case .keyInDoubt(let node): self = .keyInDoubt(node)
        case .tooMany(let seconds):
            self = .brief(503, "Ten waypoints wait for the radio already; try again in \(seconds) s")
        case .storage(let reason): self = .failed("The waypoint could not be stored: \(reason)")
        }
    }
}
