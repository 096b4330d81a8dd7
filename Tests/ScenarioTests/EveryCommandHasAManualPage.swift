import Foundation
import Testing

@testable import ServedProgram

/// The pages that deploy/man writes: one for each command, with everything that the command takes, and nothing that
/// groff would warn of.
@Test func everyCommandHasAManualPage() throws {
    struct Help: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable { let kind, name: String }
                let names: [Name]?
            }
            let commandName, abstract: String
            let subcommands: [Command]?
            let arguments: [Argument]?

            var options: [String] {
                let own = (arguments ?? []).flatMap { $0.names ?? [] }.map {
                    ($0.kind == "long" ? "--" : "-") + $0.name
                }
                return own + (subcommands ?? []).flatMap(\.options)
            }
        }
        let command: Command
    }
    let folders = try Folders()
    let pages = "\(folders.root)/man"
    let script = (#filePath as NSString).deletingLastPathComponent + "/../../deploy/man"
    let man = try Program(
        [script, Program.path, pages], in: folders, environment: ["SOURCE_DATE_EPOCH": "86400"], executable: "python3")
    #expect(try man.exitCode() == 0, "\(man.errors.text)")

    let dump = try Program.run("help", "--json", in: folders)
    let help = try JSONDecoder().decode(Help.self, from: Data(dump.output.utf8)).command
    let families = (help.subcommands ?? []).filter { $0.commandName != "help" }
    #expect(families.count >= 10)
    let names = families.map { "mesh-gateway-\($0.commandName).1" } + ["mesh-gateway.1"]
    let written = try Set(FileManager.default.contentsOfDirectory(atPath: pages))
    let others = [
        "mesh-gateway.conf.5", "mesh-gateway-rules.5", "mesh-gateway-targets.5", "mesh-gateway-push.5",
        "mesh-gateway-home-assistant.7", "mesh-gateway-conversations.7", "mesh-gateway-troubleshooting.7",
    ]
    #expect(written == Set(names + others))

    for (name, command) in zip(names, families + [help]) {
        let page = try String(contentsOfFile: "\(pages)/\(name)", encoding: .utf8)
        #expect(page.contains("1970\\-01\\-02") || page.contains("1970-01-02"), "\(name)")
        let words = command.commandName == help.commandName ? families.map(\.commandName) : command.options
        for word in words {
            #expect(page.contains(word.replacingOccurrences(of: "-", with: "\\-")), "\(name): \(word)")
        }
        #expect(page.contains(".SH EXIT STATUS"))
        if command.commandName != help.commandName { #expect(page.contains(".SH EXAMPLES"), "\(name): no example") }
    }
    for name in written {
        let groff = try Program(["-man", "-ww", "-Tutf8", "-z", "\(pages)/\(name)"], in: folders, executable: "groff")
        #expect(try groff.exitCode() == 0 && groff.errors.text.isEmpty, "\(name): \(groff.errors.text)")
    }
    let guide = try String(contentsOfFile: "\(pages)/mesh-gateway-troubleshooting.7", encoding: .utf8)
    for problem in ["no\\-radio", "region\\-unset", "KEY_MISMATCH"] {
        #expect(guide.contains("\\fB\(problem)\\fR"), "\(problem)")
    }
    let settings = try String(contentsOfFile: "\(pages)/mesh-gateway.conf.5", encoding: .utf8)
    for key in ["device", "allowed\\-origins", "keep\\-messages", "flight\\-recorder"] {
        #expect(settings.contains("\\fB\(key)\\fR = "), "\(key)")
    }
}
