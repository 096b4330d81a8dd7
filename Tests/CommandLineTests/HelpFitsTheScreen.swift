import MadeUpProgram
import Terminal
import Testing

@testable import CommandLine

/// All commands of the made-up program.
private func paths(_ path: CommandPath = CommandPath(Harbour.self)) -> [CommandPath] {
    [path] + path.configuration.subcommands.flatMap { paths(path.appending($0)) }
}

@Suite struct HelpFitsTheScreen {
    @Test(arguments: [24, 33, 40, 59, 60, 80, 200])
    func noLineIsWiderThanTheScreen(width: Int) {
        for path in paths() {
            for line in HelpPage(path, width: width).text.split(separator: "\n") {
                #expect(displayWidth(String(line)) <= width, "\(path.text): \(line)")
            }
        }
    }

    /// COLUMNS may be anything.
    @Test(arguments: [Int?.none, 0, 1, -5, 1_000_000, .max])
    func anyWidthIsAnswered(width: Int?) {
        for path in paths() {
            let text = HelpPage(path, width: width).text
            #expect(text.contains("USAGE:") && text.contains("--help"), "\(path.text)")
        }
    }

    @Test func itSaysWhatTheDeclarationsSay() throws {
        let load = try #require(paths().first { $0.text == "harbour load" })
        #expect(
            HelpPage(load, width: 80).text == """
                OVERVIEW: Loads goods.

                USAGE: harbour load <kind> <goods> ...

                ARGUMENTS:
                  <kind>                  What kind. (values: bulk, crates)
                  <goods>                 What.

                OPTIONS:
                  --weight <weight>       How heavy, in tons. (default: 1.5)
                  --number <number>       The number on it.
                  --by <by>               By which way. (values: bulk, crates; default: crates)
                  --book <file>           The harbour's book.
                  --pier <pier>           May be repeated.
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }

    /// Without a subcommand the default one is meant, so that its options may follow.
    @Test func aGroupSaysWhatItsDefaultTakes() throws {
        let ships = try #require(paths().first { $0.text == "harbour ships" })
        #expect(
            HelpPage(ships, width: 80).text == """
                OVERVIEW: Looks after ships.

                USAGE: harbour ships [--all] [--flags] [--limit <limit>] [--book <file>]
                       [--pier <pier> ...]
                       harbour ships <subcommand>

                OPTIONS:
                  -a, --all               All of them.
                  -f, --flags             Flags, too.
                  --limit <limit>         At most so many. (default: 50)
                  --book <file>           The harbour's book.
                  --pier <pier>           May be repeated.
                  --version               Show the version.
                  -h, --help              Show help information.

                SUBCOMMANDS:
                  list (default)          Lists the ships.
                  moor                    Moors a ship.

                  See 'harbour help ships <subcommand>' for detailed help.

                """)
    }

    /// A list item goes on below itself, and what is hidden is not listed.
    @Test func listItemsAndHiddenCommands() {
        let text = HelpPage(CommandPath(Harbour.self), width: 60).text
        #expect(
            text.contains(
                "\n  3  the ship is out, and nobody knows for how long it will\n     be or where it has gone to"))
        #expect(!text.contains("secret"))
        #expect(text.contains("THE QUAY SUBCOMMANDS:"))
    }
}
