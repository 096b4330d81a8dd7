import HTTPServer
import JSON
import Routes

// What a user of this machine is answered about a folder's rules, targets or brokers: with the names of their files.

extension LocalPage {
    /// All rows of a folder.
    init(_ path: String, _ schema: String, of door: @escaping @Sendable (LocalFolders) -> FolderDoor?) {
        self.init(path, schema) { question, json in
            guard let door = door(question.folders) else { throw APIError.notFound("Cannot GET \(path)") }
            let asked = FolderDoor.Question(isLocal: true)
            try door.rows(asked.all, asked, question.reader)(&json)
        }
    }

    /// The row that the path names.
    init(oneOf path: String, _ schema: String, of door: @escaping @Sendable (LocalFolders) -> FolderDoor?) {
        self.init(path, schema) { question, json in
            let name = question.parameters[0]
            guard let door = door(question.folders) else { throw APIError.notFound("Cannot GET \(path)") }
            guard door.names().contains(name) else { throw door.unknown(name) }
            let asked = FolderDoor.Question(isLocal: true)
            try door.rows(asked.only(name), asked, question.reader)(&json)
        }
    }
}

/// The folders of a daemon, or what their files say while none runs.
public struct LocalFolders: Sendable {
    public var rules: FolderDoor?
    public var targets: FolderDoor?
    public var brokers: FolderDoor?
    public var pushes: PushDoor?

    public init(
        rules: FolderDoor? = nil, targets: FolderDoor? = nil, brokers: FolderDoor? = nil, pushes: PushDoor? = nil
    ) {
        (self.rules, self.targets, self.brokers, self.pushes) = (rules, targets, brokers, pushes)
    }
}

extension ControlAPI {
    /// The folder is read again, and what is right in it is in force.
    ///
    /// - Parameter what: only `mesh-gateway serve` does.
    func reload(
        _ door: FolderDoor?, _ what: String, _ schema: String, _ call: Call
    ) throws(APIError) -> Response {
        guard let door else { throw .conflict("only mesh-gateway serve \(what)") }
        door.reload()
        let question = FolderDoor.Question(isLocal: true)
        return page(schema, try read("the folder") { try door.rows(question.all, question, $0) }, to: call.request)
    }

    /// Tests the one that the path names.
    func test(
        _ door: FolderDoor?, _ what: String, _ schema: String, _ call: Call
    ) throws(APIError) -> Response {
        guard let door else { throw .conflict("only mesh-gateway serve \(what)") }
        let request = call.request
        return try tested(door, call.parameters[0], FolderDoor.Question(isLocal: true), reading: "the folder") {
            members in
            page(schema, members, to: request)
        }
    }

    func page(_ schema: String, _ members: FolderDoor.Members, to request: Request) -> Response {
        .json(.bytes(LocalPage.bytes(schema, via: request.via) { members(&$0) }))
    }
}
