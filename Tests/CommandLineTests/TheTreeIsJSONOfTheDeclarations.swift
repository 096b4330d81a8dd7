import Foundation
import MadeUpProgram
import Testing

@testable import CommandLine

@Test func theTreeIsJSONOfTheDeclarations() throws {
    struct Tree: Decodable {
        struct Command: Decodable {
            let commandName: String
            let shouldDisplay: Bool
            let superCommands: [String]?
            let arguments: [Parameter]
            let subcommands: [Command]?
        }
        struct Parameter: Decodable {
            let kind, valueName: String
            let isOptional, isRepeating, shouldDisplay: Bool
            let defaultValue: String?
            let allValues: [String]?
        }
        let command: Command
    }
    let tree = try JSONDecoder().decode(Tree.self, from: Data(CommandTree(CommandPath(Harbour.self)).json.utf8))
    let commands = try #require(tree.command.subcommands)
    #expect(commands.map(\.commandName) == ["ships", "load", "crane", "secret", "help"])
    #expect(commands.map(\.shouldDisplay) == [true, true, true, false, true])
    let load = commands[1]
    #expect(load.superCommands == ["harbour"])
    #expect(
        load.arguments.map(\.valueName) == [
            "kind", "goods", "weight", "number", "by", "file", "pier", "version", "help",
        ])
    #expect(
        load.arguments.map(\.kind) == [
            "positional", "positional", "option", "option", "option", "option", "option", "flag", "flag",
        ])
    #expect(load.arguments.map(\.defaultValue) == [nil, nil, "1.5", nil, "crates", nil, nil, nil, nil])
    #expect(load.arguments.map(\.isRepeating) == [false, true, false, false, false, false, true, false, false])
    #expect(load.arguments.map(\.isOptional) == [false, false, true, true, true, true, true, true, true])
    #expect(load.arguments[0].allValues == ["bulk", "crates"])
    #expect(commands[0].subcommands?.map(\.superCommands) == [["harbour", "ships"], ["harbour", "ships"]])
}
