import Testing

@testable import Pages

/// What was measured is written by the command that measures it. On README.md a figure stands as
///
///     <!-- COMMAND > ROW > COLUMN -->FIGURE<!-- end -->
///
/// beside a link to the page on which the command's own table stands between `<!-- COMMAND -->` and `<!-- end -->`.
/// Tests/figures.py writes both.
@Suite struct EveryFigureStandsBetweenItsMarkers {
    @Test func onREADME() throws {
        let tree = try SourceTree.ofThisRepository()
        let found = strayFigures(tree) + wrongFigures(tree)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
        #expect(figures(on: try #require(tree.pages.first { $0.path == "README.md" })).count == 6)
    }

    @Test func everyMarkerNamesACommandAndIsClosed() throws {
        let tree = try SourceTree.ofThisRepository()
        var commands: Set<String> = []
        for page in tree.pages where page.path.hasPrefix("Tests/") {
            var open: String?
            for (number, line) in page.prose where line.hasPrefix("<!-- ") && line.hasSuffix(" -->") {
                let comment = String(line.dropFirst(5).dropLast(4))
                #expect((comment == "end") == (open != nil), "\(page.path):\(number): \(line)")
                open = comment == "end" ? nil : comment
                guard let command = open else { continue }
                commands.insert(command)
                let script = String(command.prefix { $0 != " " })
                #expect(tree.has(script), "\(page.path):\(number): there is no \(script)")
            }
            #expect(open == nil, "\(page.path): \(open ?? "") has no end")
        }
        #expect(commands.count >= 5, "the pages are not read")
    }

    @Test(arguments: [
        ("It takes 20 ms.", "20 ms"), ("3,703 kB", "3,703 kB"), ("at 1.5µs", "1.5µs"), ("for 30 s, at most", "30 s"),
        ("200 MB", "200 MB"), ("2,132 /s", "2,132 /s"), ("`database-size = 100 MB`", "100 MB"),
        ("30 seconds, 2 GB, 26 settings, port 8080, MeshMonitor 2 to 4", nil), ("/api/v1/sources", nil),
        ("<!-- x > a row > us -->20 ms<!-- end -->", nil), ("<!-- x > a row > us -->20 ms<!-- end --> 5 s", "5 s"),
    ])
    func aNumberWithAUnitIsFound(line: String, number: String?) {
        let found = strayFigures(SourceTree(paths: [], texts: ["README.md": "# A\n\n\(line)\n"]))
        #expect(found == (number.map { ["README.md:3: \($0) is a figure outside of markers"] } ?? []))
    }

    @Test func alsoInAnExampleButNotOnAScreen() {
        func found(_ comment: String) -> [String] {
            strayFigures(SourceTree(paths: [], texts: ["README.md": "\(comment)\n```text\n4 s ago\n```\n"]))
        }
        #expect(found("") == ["README.md:3: 4 s is a figure outside of markers"])
        #expect(found("<!-- screen 80x4: mesh-gateway nodes -->") == [])
    }

    @Test(arguments: [
        ("<!-- x > a > us -->20 ms<!-- end --> [x](B.md)", nil),
        ("<!-- x > a > us -->21 ms<!-- end --> [x](B.md)", "21 ms is not what B.md has"),
        ("<!-- x > b > us -->20 ms<!-- end --> [x](B.md)", "20 ms is not what B.md has"),
        ("<!-- x > a > them -->20 ms<!-- end --> [x](B.md)", "20 ms is not what B.md has"),
        ("<!-- y > a > us -->20 ms<!-- end --> [y](B.md)", "20 ms is not what B.md has"),
        ("<!-- x > a > us -->20 ms<!-- end -->", "20 ms has no link to where x shows it"),
    ])
    func aFigureThatIsNotTheTablesIsFound(line: String, finding: String?) {
        let table = "<!-- x -->\n| what | us | them |\n|---|--:|--:|\n| a | 20 ms | 30 ms |\n<!-- end -->\n"
        let found = wrongFigures(SourceTree(paths: [], texts: ["README.md": "\(line)\n", "B.md": "# B\n\n\(table)"]))
        #expect(found == (finding.map { ["README.md:1: \($0)"] } ?? []))
    }
}

/// Numbers with a unit of time, size or rate on README.md, unless a command writes them.
private func strayFigures(_ tree: SourceTree) -> [String] {
    let figure = /[0-9][0-9.,]*\s?(?:ms|µs|s|MB|kB|\/s)(?!\w)/
    return tree.pages.filter { $0.path == "README.md" }.flatMap { page in
        let screens = page.blocks.filter { $0.comment?.hasPrefix("screen ") == true }.map(\.body)
        return page.lines.enumerated().flatMap { place, line -> [String] in
            guard !screens.contains(where: { $0.contains(place) }) else { return [] }
            return line.replacing(/<!-- [^>]+ > [^>]+ > [^>]+ -->.*?<!-- end -->/, with: "").matches(of: figure)
                .map { "\(page.path):\(place + 1): \($0.output) is a figure outside of markers" }
        }
    }
}

private struct ShownFigure {
    let line: Int
    let command: String
    let row: String
    let column: String
    let value: String
    /// Where the link of the command's name leads.
    let page: String?
}

private func figures(on page: Page) -> [ShownFigure] {
    page.prose.flatMap { number, line in
        line.matches(of: /<!-- ([^>]+) > ([^>]+) > ([^>]+) -->(.*?)<!-- end -->/).map { match in
            let link = line.matches(of: /\[([^\]]+)\]\(([^)]+)\)/).first { $0.1 == match.1 }
            return ShownFigure(
                line: number, command: String(match.1), row: String(match.2), column: String(match.3),
                value: String(match.4), page: link.map { String($0.2) })
        }
    }
}

/// Figures on README.md that are not those of the pages to which they link.
private func wrongFigures(_ tree: SourceTree) -> [String] {
    let readme = Page(path: "README.md", text: tree.texts["README.md"] ?? "")
    return figures(on: readme).compactMap { figure in
        guard let path = figure.page else {
            return "README.md:\(figure.line): \(figure.value) has no link to where \(figure.command) shows it"
        }
        let shown = Page(path: path, text: tree.texts[path] ?? "")
            .cell(of: figure.row, figure.column, by: figure.command)
        return shown == figure.value ? nil : "README.md:\(figure.line): \(figure.value) is not what \(path) has"
    }
}

extension Page {
    /// The cell of the first row with this name, in a table between a command's markers that has this column.
    fileprivate func cell(of row: String, _ column: String, by command: String) -> String? {
        let section = lines.drop { $0 != "<!-- \(command) -->" }.dropFirst().prefix { $0 != "<!-- end -->" }
        var head: [String] = []
        for line in section {
            guard let cells = Page.cells(of: line) else {
                head = []
                continue
            }
            if head.isEmpty { head = cells }
            if cells.first == row, let place = head.firstIndex(of: column), place < cells.count { return cells[place] }
        }
        return nil
    }
}
