import Foundation
import MeshModel
import Testing

/// A running `mesh-gateway serve`, ready to be asked.
struct ServedGateway {
    let folders: Folders
    let program: Program
    var client: Client

    /// Starts it on a free port and waits for its word that it serves.
    ///
    /// - Parameter wrapper: a program and its arguments that starts another, whose command line is behind them.
    init(
        device: String, in folders: Folders, _ arguments: [String] = [], environment: [String: String] = [:],
        wrapper: [String] = []
    ) throws {
        self.folders = folders
        let line = wrapper + [Program.path, "serve", "--device", device, "--listen", "127.0.0.1:0"] + arguments
        program = try Program(Array(line.dropFirst()), in: folders, environment: environment, executable: line[0])
        let address = try program.output.line(containing: "/api/status")
        let port = try #require(address.split(separator: ":").last?.split(separator: "/").first.flatMap { UInt16($0) })
        client = Client(host: "127.0.0.1", port: port)
    }

    /// Makes a token and uses it from now on.
    mutating func authorize(as name: String = "phone", scopes: [String] = []) throws {
        let scopes = scopes.flatMap { ["--scope", $0] }
        var made = try Program(["token", "create", name] + scopes, in: folders)
        // A busy disk may take longer than a command waits. That token may be made all the same, but nobody is told it.
        for number in 2...5 where try made.exitCode() != 0 && made.errors.text.contains("does not answer") {
            made = try Program(["token", "create", "\(name)-\(number)"] + scopes, in: folders)
        }
        #expect(try made.exitCode() == 0, "\(made.errors.text)")
        client.token = made.output.text.trimmingCharacters(in: .newlines)
    }

    /// Waits until the radio has told everything about itself.
    func waitUntilLive(sourceLocation: SourceLocation = #_sourceLocation) throws {
        _ = try program.errors.line(containing: "radio link live", sourceLocation: sourceLocation)
    }

    /// Posts a text that has to be accepted; the answer's data.
    func post(
        _ body: JSON, expecting status: Int = 201, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let answer = try client.post("/api/v1/messages", body)
        try #require(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
        return try answer.data
    }

    func message(_ id: JSON) throws -> JSON { try client.get("/api/v1/messages/\(id.string ?? "?")").data }

    /// Every message there is, newest first.
    func messages() throws -> [JSON] { try client.get("/api/v1/messages").data.rows }

    func isConnected() throws -> Bool { try client.get("/api/v1/status").data["connected"] == true }

    /// Asks until the answer is the awaited one. The API has no way to be told, and clients do the same.
    func eventually<Value>(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ ask: () throws -> Value?
    ) throws -> Value {
        let deadline = Date(timeIntervalSinceNow: Program.patience)
        while Date() < deadline {
            if let value = try ask() { return value }
            usleep(20_000)
        }
        return try #require(
            try ask(), "waited in vain: \(what)\n\(program.errors.text)", sourceLocation: sourceLocation)
    }

    func eventually(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool
    ) throws {
        _ = try eventually(what, sourceLocation: sourceLocation) { try isSo() ? true : nil } as Bool
    }

    /// Waits for a message's delivery state.
    func message(
        _ id: JSON, becoming state: JSON, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        try eventually("\(id) becomes \(state)", sourceLocation: sourceLocation) {
            let message = try message(id)
            return message["deliveryState"] == state ? message : nil
        }
    }
}
