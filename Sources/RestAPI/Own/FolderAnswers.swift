import HTTPServer
import JSON
import Routes

// What is answered about a folder's rules, targets or brokers, in the shapes of the command line. The names of their files stay on
// this machine.

extension RestAPI {
    /// What a client may ask of a folder.
    func question(_ call: Call) -> FolderDoor.Question {
        var question = FolderDoor.Question(isLocal: false)
        question.maySee = { call.caller.maySee($0) }
        return question
    }

    /// - Parameters:
    ///   - what: is read for it.
    ///   - name: nil: all of them.
    func rows(
        of door: FolderDoor?, _ what: String, _ schema: StaticString, _ call: Call, only name: String? = nil
    ) throws(APIError) -> Response {
        guard let door else { throw .notFound("Cannot GET \(call.request.path)") }
        let question = question(call)
        let rows = try read(what) { try door.rows(name.map(question.only) ?? question.all, question, $0) }
        return page(schema, rows, to: call.request)
    }

    /// Tests the one that the path names.
    func test(
        _ door: FolderDoor?, _ what: String, _ schema: StaticString, _ call: Call, limit: Int = 50
    ) throws(APIError) -> Response {
        guard let door else { throw .notFound("Cannot \(call.request.method) \(call.request.path)") }
        var question = question(call)
        question.limit = limit
        let request = call.request
        return try tested(door, call.parameters[0], question, reading: what) { members in
            page(schema, members, to: request)
        }
    }

    func page(_ schema: StaticString, _ members: FolderDoor.Members, to request: Request) -> Response {
        .json(to: request) { json in
            json.object { json in
                json.member("schema", "\(schema)")
                json.member("via", "daemon")
                members(&json)
            }
        }
    }
}
