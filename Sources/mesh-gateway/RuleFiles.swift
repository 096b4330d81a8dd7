import Configuration
import Folders
import Glibc
import JSON
import Rules
import Terminal

// Where `rule add` and `rule remove` find the files, and how they write them.

extension RuleCommand {
    static func folder(_ viewing: Viewing) throws -> RulesFolder {
        let own = RulesFolder(besideFile: viewing.gatewayOptions.read().file).path
        let client = try Reach.daemon(viewing.gatewayOptions.configuration())
        let told = try client.map { try Page($0.answer("GET", "/local/rules")).json["folder"]?.string } ?? nil
        return RulesFolder(path: try keptFolder(own: own, told: told, of: "rules"))
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
