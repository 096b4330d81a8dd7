import Testing

@testable import Pages

/// A link on a page leads to a file or folder of this repository, and to a heading that is there. What is in the
/// Internet is not looked up.
@Suite struct EveryLinkLeadsSomewhere {
    @Test func onThesePages() throws {
        let tree = try SourceTree.ofThisRepository()
        let found = staleLinks(tree)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
        #expect(tree.pages.count > 10 && tree.pages.map(\.links.count).reduce(0, +) > 60, "the pages are not read")
    }

    @Test(arguments: [
        ("[a](B.md)", nil), ("[a](B.md#the-way-in)", nil), ("[a](#top)", nil), ("[a](Folder)", nil),
        ("[a](Folder/C.md#up)", nil), ("[a](https://example.org/x)", nil),
        ("[a](D.md)", "there is no D.md"), ("[a](B.md#the-way-out)", "there is no heading B.md#the-way-out"),
        ("[a](#bottom)", "there is no heading #bottom"), ("[a](../B.md)", "there is no ../B.md"),
        ("[a](Fold)", "there is no Fold"), ("[a](http://example.org)", "there is no http://example.org"),
    ])
    func aStaleOneIsFound(line: String, finding: String?) {
        let texts = [
            "A.md": "# Top\n\(line)\n", "B.md": "## The *way* in!\n", "Folder/C.md": "# Up\n[a](../B.md#the-way-in)\n",
        ]
        let found = staleLinks(SourceTree(paths: Array(texts.keys), texts: texts))
        #expect(found == (finding.map { ["A.md:2: \($0)"] } ?? []))
    }
}

func staleLinks(_ tree: SourceTree) -> [String] {
    let anchors = Dictionary(uniqueKeysWithValues: tree.pages.map { ($0.path, $0.anchors) })
    return tree.pages.flatMap { page in
        page.links.filter { !$0.target.hasPrefix("https://") }.compactMap { number, target in
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            guard let path = parts[0].isEmpty ? page.path : resolved(parts[0], from: page.path), tree.has(path) else {
                return "\(page.path):\(number): there is no \(target)"
            }
            if parts.count > 1, anchors[path]?.contains(String(parts[1])) != true {
                return "\(page.path):\(number): there is no heading \(target)"
            }
            return nil
        }
    }
}

/// A relative link as a path of the repository; nil when it leads out of it.
private func resolved(_ link: Substring, from page: String) -> String? {
    var path = page.split(separator: "/").dropLast()
    for part in link.split(separator: "/") where part != "." {
        if part != ".." {
            path.append(part)
        } else if path.popLast() == nil {
            return nil
        }
    }
    return path.joined(separator: "/")
}
