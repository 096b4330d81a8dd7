import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Keys by which the gateway reads channels that the radio does not have (Contract 3.13). They belong to no source.

extension RestAPI {
    static let channelDatabaseEndpoints: [Endpoint] = [
        reading("channel-database", RestAPI.channelEntries),
        writing(.post, "channel-database", to: "create channel database entries", RestAPI.addChannelEntry),
        writing(
            .put, "channel-database/reorder", to: "reorder channel database entries", RestAPI.reorderChannelEntries),
        reading("channel-database/retroactive-decrypt/progress", RestAPI.redecryption),
        // A token that may not read entries finds none under any number.
        .v1(.get, "channel-database/{id}", nil, RestAPI.channelEntry),
        writing(.put, "channel-database/{id}", to: "update channel database entries", RestAPI.changeChannelEntry),
        writing(.delete, "channel-database/{id}", to: "delete channel database entries", RestAPI.removeChannelEntry),
        writing(
            .post, "channel-database/{id}/retroactive-decrypt", to: "trigger retroactive decryption",
            RestAPI.redecrypt),
        reading(
            "channel-database/{id}/permissions", to: "view channel permissions", RestAPI.channelEntryPermissions),
        writing(
            .put, "channel-database/{id}/permissions/{userId}", to: "modify channel permissions",
            RestAPI.changeChannelEntryPermission),
        writing(
            .delete, "channel-database/{id}/permissions/{userId}", to: "modify channel permissions",
            RestAPI.changeChannelEntryPermission),
    ]

    private static func reading(
        _ path: String, to purpose: String? = nil, _ handler: @escaping Endpoint.Handler
    ) -> Endpoint {
        .v1(
            .get, path, Permission(.channelDatabase, .read),
            refusal: "channel_database:read permission required" + (purpose.map { " to " + $0 } ?? ""), handler)
    }

    private static func writing(
        _ method: Endpoint.Method, _ path: String, to purpose: String, _ handler: @escaping Endpoint.Handler
    ) -> Endpoint {
        .v1(
            method, path, Permission(.channelDatabase, .write),
            refusal: "channel_database:write permission required to " + purpose, handler)
    }

    func channelEntries(_ call: Call) throws(APIError) -> Response {
        let entries = try read("channel database entries") { try $0.channelEntries() }
        return .list(entries, to: call.request) { $0.channelEntry($1, for: call.caller) }
    }

    func channelEntry(_ call: Call) throws(APIError) -> Response {
        let id = try call.entryID
        guard call.caller.may(.read, .channelDatabase) else { throw .noChannelEntry(id) }
        let entry = try foundEntry(call)
        return .item(to: call.request) { $0.channelEntry(entry, for: call.caller) }
    }

    // MARK: Changes

    /// `POST channel-database`. What the log holds is tried with the new key.
    func addChannelEntry(_ call: Call) throws(APIError) -> Response {
        let posted = try PostedChannelEntry(try call.json)
        let entry: ChannelEntry
        do {
            entry = try gateway.channelDatabase.add(
                name: posted.name, psk: posted.psk, description: posted.description, isEnabled: posted.isEnabled,
                enforcesName: posted.enforcesName)
        } catch {
            throw .failed("Failed to create channel database entry")
        }
        return .done("Channel database entry created successfully", status: 201) { json in
            json.key("data")
            json.channelEntry(entry, for: call.caller)
        }
    }

    func changeChannelEntry(_ call: Call) throws(APIError) -> Response {
        let id = try foundEntry(call).id
        let change = try ChannelEntryChange(try call.json)
        let changed: ChannelEntry?
        do {
            changed = try gateway.channelDatabase.update(id) { change.apply(to: &$0) }
        } catch {
            throw .failed("Failed to update channel database entry")
        }
        // Somebody else may have deleted it meanwhile.
        guard let changed else { throw .noChannelEntry(id) }
        return .done("Channel database entry updated successfully") { json in
            json.key("data")
            json.channelEntry(changed, for: call.caller)
        }
    }

    func removeChannelEntry(_ call: Call) throws(APIError) -> Response {
        let id = try call.entryID
        let isRemoved: Bool
        do {
            isRemoved = try gateway.channelDatabase.remove(id)
        } catch {
            throw .failed("Failed to delete channel database entry")
        }
        guard isRemoved else { throw .noChannelEntry(id) }
        return .done("Channel database entry \(id) deleted successfully")
    }

    func reorderChannelEntries(_ call: Call) throws(APIError) -> Response {
        let places = try ChannelEntryOrder(try call.json).places
        do {
            try gateway.channelDatabase.reorder(places.map { ($0.id, $0.sortOrder) })
        } catch {
            throw .failed("Failed to reorder channel database entries")
        }
        return .done("Channel database order updated for \(places.count) entries")
    }

    // MARK: The log

    func redecryption(_ call: Call) throws(APIError) -> Response {
        let progress = gateway.channelDatabase.redecryption.progress
        return .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.member("isRunning", progress?.isRunning ?? false)
                json.key("progress")
                json.redecryption(progress)
            }
        }
    }

    /// `POST channel-database/{id}/retroactive-decrypt`. It turns packets into messages, so it is not for who may not
    /// read those; where there are none to turn, it does no harm.
    func redecrypt(_ call: Call) throws(APIError) -> Response {
        let entry = try foundEntry(call)
        guard entry.isEnabled else { throw .badRequest("Cannot run retroactive decryption for disabled channel") }
        if !call.caller.may(.read, .messages) {
            let denied = try sourcesWithEncryptedPackets()
            guard denied.isEmpty else {
                throw .deniedSources(
                    "You lack messages:read on some sources containing encrypted packets", denied)
            }
        }
        let redecryption = gateway.channelDatabase.redecryption
        guard redecryption.start(entry) else { throw .conflict("Retroactive decryption already in progress") }
        return .done("Retroactive decryption started for channel \(entry.id)") { json in
            json.key("progress")
            json.redecryption(redecryption.progress)
        }
    }

    /// Their UUIDs.
    private func sourcesWithEncryptedPackets() throws(APIError) -> [String] {
        let ids = try read("encrypted packets") { try $0.sourcesWithEncryptedPackets() }
        guard !ids.isEmpty else { return [] }
        return try knownSources.all(of: store).filter { ids.contains($0.id) }.map(\.source.uuid)
    }

    // MARK: Users

    /// `GET channel-database/{id}/permissions`: what users may do with an entry. There are tokens here and no users.
    func channelEntryPermissions(_ call: Call) throws(APIError) -> Response {
        let entry = try foundEntry(call)
        return .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.member("channelId", entry.id)
                json.member("channelName", entry.name)
                json.member("count", 0)
                json.key("data")
                json.array { _ in }
            }
        }
    }

    /// `PUT` and `DELETE channel-database/{id}/permissions/{userId}`: no user has that number.
    func changeChannelEntryPermission(_ call: Call) throws(APIError) -> Response {
        _ = try call.entryID
        guard let user = parseInt(call.parameters[1]) else { throw .badRequest("Invalid user ID") }
        _ = try foundEntry(call)
        throw .notFound("User \(user) not found")
    }

    private func foundEntry(_ call: Call) throws(APIError) -> ChannelEntry {
        let id = try call.entryID
        return try read("channel database entry") { reader in
            guard let entry = try reader.channelEntry(id) else { throw APIError.noChannelEntry(id) }
            return entry
        }
    }
}

extension Call {
    fileprivate var entryID: Int64 {
        get throws(APIError) {
            guard let id = parseInt(parameters[0]) else { throw .badRequest("Invalid channel database ID") }
            return id
        }
    }

    fileprivate var json: JSONValue {
        get throws(APIError) {
            guard let body else {
                throw .badRequest("The request body must be JSON (Content-Type: application/json)")
            }
            return body
        }
    }
}

extension APIError {
    fileprivate static func noChannelEntry(_ id: Int64) -> APIError {
        .notFound("Channel database entry \(id) not found")
    }
}

extension Response {
    /// What a change is answered with: `success`, what came of it, and a sentence.
    fileprivate static func done(
        _ message: String, status: Int = 200, _ members: (inout JSONWriter) -> Void = { _ in }
    ) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            members(&json)
            json.member("message", message)
        }
        return .json(.bytes(json.bytes), status: status)
    }
}
