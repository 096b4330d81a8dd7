import HTTPServer
import JSON
import Platform
import Routes
import Store

// Our own routes by which an app or a browser asks to be told, with its token, what that token sees of the feed. A registration
// belongs to the token of the header: no cookie makes one, and a user of this machine has none.

extension RestAPI {
    private static let permission = Permission(.notifications, .read)

    static let pushEndpoints: [Endpoint] = [
        .v1(.get, "push/key", permission, RestAPI.pushKey),
        .v1(.post, "push/register", permission, RestAPI.registerPush),
        .v1(.get, "push/registrations", permission, RestAPI.listedPushes),
        .v1(.delete, "push/registrations/{registrationId}", permission, RestAPI.deletePush),
        .v1(.post, "push/registrations/{registrationId}/test", permission, RestAPI.testedPush),
    ]

    /// `push/key`: what a browser or a UnifiedPush distributor is given as the server's key.
    func pushKey(_ call: Call) throws(APIError) -> Response {
        guard let key = try door(call).key() else {
            throw .failed("This gateway has no push key: libhogweed6 is missing")
        }
        return .item(to: call.request) { json in json.object { $0.member("key", key) } }
    }

    func registerPush(_ call: Call) throws(APIError) -> Response {
        let door = try door(call)
        guard let token = call.caller.token else {
            throw .forbidden("A registration belongs to a token: an app or a browser makes it with its own")
        }
        let posted = try PostedPush(call.body)
        if let refusal = door.refusal(posted.address) { throw .badRequest(refusal) }
        let made: PushRegistration?
        do {
            made = try store.commit {
                try $0.register(
                    posted.address, for: token, name: posted.name, rules: posted.rules, at: WallClock.milliseconds())
            }
        } catch StoreError.tokenRevoked {
            throw .tokenInvalid
        } catch {
            throw .failed("The registration could not be stored")
        }
        guard let made else { throw .busy("There are as many registrations as there may be", retryAfter: 3600) }
        door.changed()
        return .json(to: call.request) { json in
            json.object { json in
                json.member("status", "ok")
                json.member("id", made.id)
                json.member("state", door.state(of: made.address))
            }
        }
    }

    /// `push/registrations`: the token's own; with everything, all of them.
    func listedPushes(_ call: Call) throws(APIError) -> Response {
        let door = try door(call)
        return shown(try read("registrations") { try door.shown($0, where: call.caller.mayManage) }, call)
    }

    func deletePush(_ call: Call) throws(APIError) -> Response {
        try removePush(push(call.parameters[0], where: call.caller.mayManage), door(call))
        return .json(to: call.request) { json in json.object { $0.member("success", true) } }
    }

    /// `push/registrations/{id}/test`: it is on its way; the list shows what became of it.
    func testedPush(_ call: Call) throws(APIError) -> Response {
        let door = try door(call)
        let registration = try push(call.parameters[0], where: call.caller.mayManage)
        try testPush(registration, door, isPaced: true)
        return shown(try read("registrations") { try door.shown($0) { $0.id == registration.id } }, call)
    }

    private func door(_ call: Call) throws(APIError) -> PushDoor {
        guard let pushes else { throw .notFound("Cannot \(call.request.method) \(call.request.path)") }
        return pushes
    }

    private func shown(_ shown: ShownPushes, _ call: Call) -> Response {
        .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.member("count", shown.count)
                json.key("data")
                json.object { $0.pushes(shown) }
            }
        }
    }
}

extension Caller {
    /// A token sees and ends what it has registered itself.
    fileprivate func mayManage(_ registration: PushRegistration) -> Bool {
        scopes == .admin || registration.token == token
    }
}
