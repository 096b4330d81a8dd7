import Configuration
import Foundation
import Testing

@testable import Pages
@testable import ServedProgram

/// What the pages name exists: commands and options in the program's own words, keys and variables in its configuration,
/// words of its answers in its sources. Files and links: ArchitectureTests.
@Suite struct EveryNameOnThePagesIsReal {
    @Test func everyCommandIsOneWithItsOptions() throws {
        let program = try CommandTree()
        var count = 0
        for page in try pages() {
            for (number, line) in page.commands {
                count += 1
                for flaw in program.flaws(of: line) { Issue.record("\(page.path):\(number): \(flaw) in: \(line)") }
            }
        }
        #expect(count > 40, "the pages are not read")
        // Options that stand by themselves, as in a table whose first column is their command.
        for page in try pages() {
            for (number, span) in page.spans where span.hasPrefix("--") {
                let option = String(span.prefix { $0 != " " && $0 != "=" })
                #expect(program.options.contains(option), "\(page.path):\(number): nothing has \(option)")
            }
        }
    }

    /// The dozen that people use; `mesh-gateway help` lists all of them.
    @Test func theTableOfCommandsHasRealOnes() throws {
        let program = try CommandTree()
        let table = try Page("README.md").rows(below: "Commands").compactMap(\.first)
        let spans = table.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
        for span in spans {
            for flaw in program.flaws(of: span) {
                Issue.record("README.md, the table of commands: \(flaw) in: \(span)")
            }
        }
        #expect(
            Set(spans.compactMap { $0.split(separator: " ").first.map(String.init) }).isSubset(of: program.commands))
        #expect(table.count >= 10, "the table is not read")
    }

    /// mesh-gateway.conf(5) has all of them (TheExampleNamesEveryKey).
    @Test func everySettingIsAKey() throws {
        let rows = try Page("README.md").rows(below: "Settings")
        #expect(rows.count == 7)
        for row in rows {
            for name in row.prefix(2).flatMap({ $0.matches(of: /`([a-z-]+)`/).map { String($0.1) } }) {
                #expect(Key(rawValue: name) != nil, "README.md, the table of settings: \(name)")
            }
        }
        let variables = Set(Key.allCases.flatMap { [$0.environmentVariable, $0.meshMonitorVariable ?? ""] })
        // Rules, targets and brokers have files of their own, whose keys are in tables.
        let own = try pages().flatMap(\.lines).compactMap { $0.firstMatch(of: /^\| `([a-z-]+)`/).map { String($0.1) } }
        for page in try pages() {
            for (number, span) in page.spans {
                if span.hasPrefix("MESH_GATEWAY_"), span != "MESH_GATEWAY_" {
                    #expect(variables.contains(span), "\(page.path):\(number)")
                }
                if let setting = span.wholeMatch(of: /([a-z-]+) = (.+)/) {
                    let key = String(setting.1)
                    #expect(Key(rawValue: key) != nil || own.contains(key), "\(page.path):\(number): \(span)")
                }
            }
        }
    }

    @Test func everyExitCodeIsTheCommandsOwn() throws {
        let help = try Program.run("help", "send", in: Folders()).output
        let codes = try Page("Sources/mesh-gateway/README.md").rows(below: "Live events, and sending").compactMap(
            \.first)
        #expect(codes.count == 5)
        for code in codes { #expect(help.contains("\n  \(code)  "), "send --wait does not end with \(code)") }
    }

    /// That the scripts are there, and all other files, EveryFileOnThePagesIsThere holds.
    @Test func everyScriptHasItsOptions() throws {
        var count = 0
        for page in try pages() {
            let code = page.blocks.flatMap { block in block.body.map { ($0 + 1, page.lines[$0]) } }
            for (number, text) in page.spans + code {
                let words = text.prefix { $0 != "#" }.split(separator: " ").map(String.init)
                guard let path = words.first, path.hasPrefix("deploy/") || path.hasPrefix("Tests/"), words.count > 1
                else {
                    continue
                }
                let script = try String(contentsOf: Page.root.appending(path: path), encoding: .utf8)
                // Those of deploy/run are the program's.
                for option in words where option.hasPrefix("--") && path != "deploy/run" {
                    count += 1
                    let isKnown = script.contains(option)
                    #expect(isKnown, "\(page.path):\(number): \(path) has no \(option)")
                }
            }
        }
        #expect(count > 5, "the pages are not read")
    }

    /// What stops an attacker is somewhere, and some test would notice if it did not any more.
    @Test func everyDefenceHasItsCodeAndItsTest() throws {
        let tree = try Self.names(below: "Sources"), tests = try Self.names(below: "Tests")
        let page = try Page("Sources/RestAPI/ThreatModel.md")
        for (number, span) in page.spans where span.hasSuffix(".swift") {
            #expect(tree.contains(span) || tests.contains(span), "ThreatModel.md:\(number): there is no \(span)")
        }
        var count = 0
        for (number, row) in page.prose where row.hasPrefix("|") {
            let cells = row.split(separator: "|")
            guard cells.count == 4, !row.hasPrefix("|--"), !row.contains("| where |") else { continue }
            count += 1
            #expect(tree.contains { cells[2].contains("`\($0)`") }, "ThreatModel.md:\(number): no code")
            #expect(tests.contains { cells[3].contains("`\($0)`") }, "ThreatModel.md:\(number): no test")
        }
        #expect(count > 30, "the tables are not read")
    }

    private static func names(below folder: String) throws -> Set<String> {
        let files = FileManager.default.enumerator(atPath: Page.root.appending(path: folder).path)
        return Set((files?.compactMap { $0 as? String } ?? []).map { ($0 as NSString).lastPathComponent })
    }

    /// Paths on a user's computer, routes, problems and checks: each part of them is a word of the sources.
    @Test func everyWordIsOneOfTheSources() throws {
        let sources = try Self.sources()
        for page in try pages() {
            let missing = page.prose.first { $0.text.hasSuffix("Not there yet") }?.number ?? .max
            for (number, span) in page.spans where number < missing {
                let isPath = span.wholeMatch(of: #/(~|/)[a-z.-]*/[^ ]*/#) != nil
                guard isPath || span.wholeMatch(of: /[a-z]+(-[a-z]+)+/) != nil else { continue }
                for part in span.split(separator: "/") where part.wholeMatch(of: /[a-z0-9_.-]{3,}/) != nil {
                    let stem = part.prefix(upTo: part.lastIndex(of: ".") ?? part.startIndex)
                    let isKnown =
                        sources.contains(part)
                        || !stem.isEmpty && sources.contains(stem) && sources.contains(part.dropFirst(stem.count))
                    #expect(isKnown, "\(page.path):\(number): nothing has \(part)")
                }
            }
        }
    }

    private func pages() throws -> [Page] { try Page.all.map { try Page($0) } }

    /// What the product consists of, in one text.
    private static func sources() throws -> String {
        var text = try String(contentsOf: Page.root.appending(path: "Tests/ClientTests/Golden.txt"), encoding: .utf8)
        for folder in ["Sources", "deploy", "udev"] {
            let files = FileManager.default.enumerator(
                at: Page.root.appending(path: folder), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard !file.path.contains("CMeshtastic"), file.pathExtension != "md" else { continue }
                text += (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            }
        }
        return text
    }
}

extension Page {
    /// Everything on the page that calls the program, without what stands before its name.
    fileprivate var commands: [(number: Int, line: String)] {
        let code = blocks.filter { ["sh", "console"].contains($0.language) }.flatMap { block in
            block.body.map { ($0 + 1, lines[$0]) }.filter { block.language == "sh" || $0.1.hasPrefix("$ ") }
        }
        return (code + spans).flatMap { number, text in
            text.matches(of: /(?:^|\$ |\$\(|sudo |\| )mesh-gateway ([^|)#]+)/).map { (number, String($0.1)) }
        }
    }
}
