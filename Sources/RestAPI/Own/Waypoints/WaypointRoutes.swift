import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Waypoints, ours: points on the map that nodes share. A token sees those of the channels whose map it may view, and changes
// those of the channels on which it may write. One that came as a direct message is one: `messages:read`, and a change goes to
// its sender alone.

extension RestAPI {
    /// Waypoints that are read and printed at a time.
    private static let slice = 64

    static let waypointEndpoints: [Endpoint] = [
        .perSource(.get, "waypoints", .nodes, .read, RestAPI.waypoints),
        .perSource(.post, "waypoints", .messages, .write, RestAPI.addWaypoint),
        .perSource(.get, "waypoints/{id}", .nodes, .read, RestAPI.waypoint),
        .perSource(.put, "waypoints/{id}", .messages, .write, RestAPI.changeWaypoint),
        .perSource(.delete, "waypoints/{id}", .messages, .write, RestAPI.removeWaypoint),
    ]

    /// `P/waypoints`: those that have not expired, by their ids.
    func waypoints(_ call: Call) throws(APIError) -> Response {
        let (now, store, source, caller) = (clock(), store, call.source, call.caller)
        let ids = try read("waypoints") { reader in
            try reader.waypointIDs(in: source.id) { !$0.value.isExpired(at: now) && caller.maySee($0) }
        }
        let own = ownNumber(of: source)
        // One falls out of the list by the mere passing of time: the tag covers which there are.
        let listed = [UInt64(ids.count), EntityTag.fingerprint(of: ids), UInt64(own?.rawValue ?? 0)]
        do {
            return try .list(
                ids, slice: Self.slice, isBare: false, to: call.request, tag: tag(call, .waypoints, with: listed)
            ) { json, slice in
                let rows = try store.readCommitted { reader in
                    try slice.compactMap { try reader.waypoint(id: $0, in: source.id) }
                }
                for row in rows where caller.maySee(row) { json.waypoint(row, source: source.source.uuid, own: own) }
            }
        } catch {
            throw .failed("Failed to retrieve waypoints")
        }
    }

    /// `P/waypoints/{id}`.
    func waypoint(_ call: Call) throws(APIError) -> Response {
        let id = try call.waypointID
        guard let row = try read("waypoint", { try $0.waypoint(id: id, in: call.source.id) }),
            !row.value.isExpired(at: clock()), call.caller.maySee(row)
        else { throw .noWaypoint(id) }
        return .item(to: call.request) { json in
            json.waypoint(row, source: call.source.source.uuid, own: ownNumber(of: call.source))
        }
    }

    /// `POST P/waypoints`: it is stored, and everybody on its channel is told.
    func addWaypoint(_ call: Call) throws(APIError) -> Response {
        let posted = try PostedWaypoint(call.body, isNew: true, now: clock() / 1000)
        let channel = posted.channel ?? 0
        guard call.caller.may(.write, .channel(channel)) else { throw .closed(channel) }
        var waypoint = Waypoint(id: 0)
        posted.apply(to: &waypoint)
        do throws(WaypointRefusal) {
            let made = try gateway.create(
                waypoint, isLocked: posted.isLocked ?? false, on: channel, in: call.source.id)
            return answer(made, call, status: 201)
        } catch {
            throw APIError(error, 0)
        }
    }

    /// `PUT P/waypoints/{id}`: what is not given stays as it is.
    func changeWaypoint(_ call: Call) throws(APIError) -> Response {
        let id = try call.waypointID
        let posted = try PostedWaypoint(call.body, isNew: false, now: clock() / 1000)
        if posted.channel != nil {
            throw .badRequest("A waypoint stays on its channel: delete it and make another one")
        }
        let caller = call.caller
        // It is the answer.
        try checkKnown(id, call) { caller.maySee($0) }
        do throws(WaypointRefusal) {
            let changed = try gateway.changeWaypoint(
                id, isLocked: posted.isLocked, in: call.source.id, mayWrite: { caller.mayWriteWaypoint(on: $0) }
            ) { posted.apply(to: &$0) }
            return answer(changed, call, status: 200)
        } catch {
            throw APIError(error, id)
        }
    }

    /// `DELETE P/waypoints/{id}`: here, and at everybody on its channel; a direct message also at its sender, if there is a
    /// key for it. Whether anybody was told stands in the answer.
    func removeWaypoint(_ call: Call) throws(APIError) -> Response {
        let id = try call.waypointID
        let caller = call.caller
        try checkKnown(id, call) { row in
            caller.maySee(row) || row.channel.map { caller.mayWriteWaypoint(on: Int($0)) } ?? false
        }
        let isTold: Bool
        do throws(WaypointRefusal) {
            isTold = try gateway.deleteWaypoint(id, in: call.source.id, mayWrite: { caller.mayWriteWaypoint(on: $0) })
        } catch {
            throw APIError(error, id)
        }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("waypointId", id)
                json.member("deleted", true)
                json.member("isTold", isTold)
            }
        }
        return .json(.bytes(json.bytes))
    }

    /// Who may not know of a waypoint is told the same of it as of none; who may learns what is missing.
    private func checkKnown(
        _ id: UInt32, _ call: Call, mayKnow: (Record<Waypoint>) -> Bool
    ) throws(APIError) {
        guard let row = try read("waypoint", { try $0.waypoint(id: id, in: call.source.id) }), mayKnow(row) else {
            throw .noWaypoint(id)
        }
    }

    private func answer(_ record: Record<Waypoint>, _ call: Call, status: Int) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.waypoint(record, source: call.source.source.uuid, own: ownNumber(of: call.source))
        }
        return .json(.bytes(json.bytes), status: status)
    }

    /// Of the source's radio, also while it is away.
    func ownNumber(of source: FoundSource) -> NodeNumber? {
        gateway.status(of: source.id).myInfo?.number ?? source.source.nodeNumber
    }
}

extension Call {
    fileprivate var waypointID: UInt32 {
        get throws(APIError) {
            let text = parameters[0]
            guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
                let id = UInt32(text), id > 0
            else { throw .badRequest("A waypoint is named by its waypointId, a number from 1 to 4294967295") }
            return id
        }
    }
}

extension APIError {
    fileprivate static func noWaypoint(_ id: UInt32) -> APIError { .notFound("There is no waypoint \(id)") }

    fileprivate static func closed(_ channel: Int?) -> APIError {
        guard let channel else { return .insufficient(resource: Resource.messages.name, action: .write) }
        return .insufficient(
            resource: (0...7).contains(channel) ? "channel_\(channel)" : "channel_database", action: .write)
    }

    fileprivate init(_ refusal: WaypointRefusal, _ id: UInt32) {
        self =
            switch refusal {
            case .notConnected: .notConnected
            case .transmitDisabled: .transmitDisabled
            case .notFound: .noWaypoint(id)
            case .locked(let node): .conflict("Only \(node.id) may change this waypoint: it is locked to it")
            case .closed(let channel): .closed(channel)
            case .noChannel(let channel): .conflict("The radio does not have channel \(channel)")
            case .noKey(let node):
                .conflict(
                    "This waypoint is a direct message from \(node.id), and there is no key to encrypt a change for it")
            case .keyInDoubt(let node): .keyInDoubt(node)
            case .tooMany(let seconds):
                .brief(429, "Rate limited: too many waypoints wait for the radio", retryAfter: seconds)
            case .storage: .failed("Failed to store the waypoint")
            }
    }
}
