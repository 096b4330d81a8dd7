import Configuration
import Glibc
import JSON
import Rules
import Terminal

// Where `rule add` and `rule remove` find the files, and how they write them.

extension RuleCommand {
    /// The running daemon's folder, else the one beside this user's configuration file.
    static func folder(_ viewing: Viewing) throws -> RulesFolder {
        let file = viewing.gatewayOptions.read().file
        if let client = try Reach.daemon(viewing.gatewayOptions.configuration()) {
            let page = try Page(client.answer("GET", "/local/rules"))
            if let path = page.json["folder"]?.string { return RulesFolder(path: path) }
        }
        return RulesFolder(besideFile: file)
    }

    static func write(_ text: String, to path: String) throws {
        // Beside a user's own configuration file there may be no folder yet.
        let folder = GatewayOptions.folder(of: path)
        GatewayOptions.makeFolders(GatewayOptions.folder(of: folder))
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw refusal(errno, folder, isWritten: true) }
        do {
            try replaceFile(path, with: Array(text.utf8), mode: 0o644)
        } catch {
            throw refusal(error.number, path, isWritten: true)
        }
    }

    static func refusal(_ number: Int32, _ path: String, isWritten: Bool = false) -> any Error {
        switch number {
        case EACCES, EPERM:
            failure("\(path) belongs to root: put sudo before the command.", .noPermission)
        case ENOENT where !isWritten: failure("there is no \(path); mesh-gateway rule list shows the rules.", .noInput)
        default: failure("\(path) cannot be written: \(systemMessage(number)).", .cannotCreate)
        }
    }

    /// Says what was done, and has the daemon read the folder again.
    static func tell(_ viewing: Viewing, _ done: String) throws {
        guard let client = try Reach.daemon(viewing.gatewayOptions.configuration()) else {
            if viewing.json { return writeJSON(try Backend.reading(viewing).get("/local/rules").text) }
            return writeToStandardError(done + "\nNo daemon is running; the next one goes by it.\n")
        }
        let page = try Page(client.answer("POST", "/local/rules/reload", body: "{}"))
        if viewing.json { return writeJSON(page.text) }
        writeToStandardError(done + "\n")
    }
}
