import HTTPServer
import JSON
import Routes
import Store

// `mesh-gateway push`: the apps and browsers that are told, and whose they are.

extension ControlAPI {
    static let pushPages: [LocalPage] = [
        LocalPage("/local/push/registrations", "pushes/1") { question, json in
            json.pushes(try question.pushDoor().shown(question.reader))
        },
        LocalPage("/local/push/registrations/{id}", "pushes/1") { question, json in
            let id = Int64(question.parameters[0])
            let shown = try question.pushDoor().shown(question.reader) { $0.id == id }
            guard shown.count > 0 else { throw APIError.noPush }
            json.pushes(shown)
        },
    ]

    static let pushEndpoints: [Endpoint] = [
        .local(.delete, "/local/push/registrations/{id}", ControlAPI.removeRegistration),
        // One is on its way; the page of the registration says what became of it.
        .local(.post, "/local/push/registrations/{id}/test", ControlAPI.testRegistration),
        .local(.post, "/local/push/new-key", ControlAPI.newPushKey),
    ]

    private func removeRegistration(_ call: Call) throws(APIError) -> Response {
        let registration = try push(call.parameters[0])
        try removePush(registration, pushDoor())
        return .json(.bytes(PushAnswer.removed(registration.id, via: call.request.via)))
    }

    private func testRegistration(_ call: Call) throws(APIError) -> Response {
        let (registration, door) = (try push(call.parameters[0]), try pushDoor())
        try testPush(registration, door, isPaced: false)
        let shown = try read("registrations") { try door.shown($0) { $0.id == registration.id } }
        return .json(.bytes(LocalPage.bytes("pushes/1", via: call.request.via) { $0.pushes(shown) }))
    }

    private func newPushKey(_ call: Call) throws(APIError) -> Response {
        let door = try pushDoor()
        let count: Int
        do {
            count = try store.read { try $0.registrations() }.filter(\.isOfABrowser).count
            try door.newKey()
        } catch {
            throw .failed("No other push key was made: \(error)")
        }
        door.changed()
        return .json(
            .bytes(
                LocalPage.bytes("push-key/1", via: call.request.via) { json in
                    json.member("key", door.key())
                    json.member("removed", count)
                }))
    }

    private func pushDoor() throws(APIError) -> PushDoor {
        guard let pushes else { throw .conflict("only mesh-gateway serve tells apps and browsers") }
        return pushes
    }
}

extension PushRegistration {
    fileprivate var isOfABrowser: Bool { if case .web = address { true } else { false } }
}

/// What is answered when a registration is removed, by the daemon and by the command that does it in the database.
public enum PushAnswer {
    /// - Parameter via: `daemon` or `database`.
    public static func removed(_ id: Int64, via: String) -> [UInt8] {
        LocalPage.bytes("push-removed/1", via: via) { $0.member("id", id) }
    }
}

extension LocalQuestion {
    fileprivate func pushDoor() throws -> PushDoor {
        guard let door = api == nil ? filesAlone.pushes : api?.pushes else {
            throw APIError.notFound("Cannot GET \(request.path)")
        }
        return door
    }
}
