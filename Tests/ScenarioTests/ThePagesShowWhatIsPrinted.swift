import Foundation
import Testing

@testable import Pages
@testable import ServedProgram

// A screen on a page:
//
//     <!-- screen 100x8 -->
//     ```console
//     $ mesh-gateway nodes --filter direct
//     NODE       SHORT  NAME …
//     ```
//
// 100 columns, and 8 lines of it; what is more is "…". A command that is shown elsewhere stands in the comment:
// <!-- screen 100x8: COMMAND -->.

/// Every screen on a page is what its command prints beside the gateway whose clock stands still. `deploy/golden` writes
/// them; read the difference before you commit it.
@Suite struct ThePagesShowWhatIsPrinted {
    @Test func thePagesShowWhatIsPrinted() throws {
        let mesh = try StandingMesh()
        let isUpdate = ProcessInfo.processInfo.environment["MESH_GATEWAY_UPDATE_GOLDEN"] != nil
        for path in Page.all {
            var page = try Page(path)
            // From the last one on, so that the others keep their places.
            for block in page.blocks.reversed() {
                guard let screen = PrintedScreen(block, of: page) else {
                    #expect(block.language != "console", "\(path): console without a screen: \(page.lines[block.body])")
                    continue
                }
                let printed = try screen.lines(beside: mesh)
                if isUpdate {
                    page.lines.replaceSubrange(block.body, with: printed)
                } else {
                    #expect(Array(page.lines[block.body]) == printed, "\(path): \(screen.command)")
                }
            }
            if isUpdate {
                try page.lines.joined(separator: "\n")
                    .write(to: Page.root.appending(path: path), atomically: true, encoding: .utf8)
            }
        }
    }

    /// What a visitor types in a fresh clone, and what the answer looks like, without scrolling.
    @Test func theFirstScreenHasTwoCommandsAndAnAnswer() throws {
        let page = try Page("README.md")
        let blocks = page.blocks.prefix { $0.body.upperBound < 30 }
        let first = try #require(blocks.first { $0.language == "sh" })
        let commands = page.lines[first.body].map { $0.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces) }
        #expect(commands == ["deploy/run --device simulated", "deploy/test"])
        let answer = try #require(blocks.compactMap { PrintedScreen($0, of: page) }.first)
        // With the last command of an installation, which the test of the package types.
        #expect(answer.command == (try page.installation().last))
    }
}

extension Page {
    /// The commands that install the package and use it.
    fileprivate func installation() throws -> [String] {
        let block = try #require(blocks.first { lines[$0.body].contains { $0.hasPrefix("sudo apt install ") } })
        return Array(lines[block.body])
    }
}

/// A block of code with the command whose output it is.
private struct PrintedScreen {
    let columns: Int
    let rows: Int
    let command: String
    let isCommandShown: Bool

    init?(_ block: Page.Block, of page: Page) {
        guard let match = block.comment?.wholeMatch(of: /screen (\d+)x(\d+)(?:: (.+))?/), let columns = Int(match.1),
            let rows = Int(match.2)
        else { return nil }
        (self.columns, self.rows) = (columns, rows)
        isCommandShown = match.3 == nil
        if let command = match.3 {
            self.command = String(command)
        } else {
            guard let line = page.lines[block.body].first, line.hasPrefix("$ ") else { return nil }
            command = String(line.dropFirst(2))
        }
    }

    /// As they stand on the page.
    func lines(beside mesh: StandingMesh) throws -> [String] {
        let text =
            command.hasPrefix("curl ")
            ? try mesh.answer(to: command)
            : try mesh.screen(of: command, columns: columns).replacing(/\[exit \d+\]\n?/, with: "")
        let all = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.count > columns ? $0.prefix(columns - 1) + "…" : String($0)
        }
        let lines = all.last == "" ? Array(all.dropLast()) : all
        let shown = lines.count > rows ? lines.prefix(rows) + ["…"] : lines
        return (isCommandShown ? ["$ \(command)"] : []) + shown
    }
}
