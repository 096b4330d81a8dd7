import Testing

/// What is built here is built of these files, the toolchain and the system's packages: a machine that reaches nothing
/// else can build it.
@Suite struct NoPackageIsFetched {
    @Test func thisManifestFetchesNone() throws {
        let manifest = try #require(SourceTree.ofThisRepository().texts["Package.swift"])
        #expect(fetchedPackages(manifest) == [])
    }

    @Test(arguments: [
        (#"    .package(url: "https://example.org/parser", from: "1.0.0"),"#, 1),
        (#"    dependencies: [ .package( path: "../parser") ],"#, 1),
        (#"    // .package(url: "https://example.org/parser", from: "1.0.0")"#, 0),
        (#"    .product(name: "Parser", package: "parser"),"#, 1),
        (#"let package = Package(name: "mesh-gateway")"#, 0),
    ])
    func aFetchedPackageIsFound(line: String, count: Int) {
        #expect(fetchedPackages(line).count == count)
    }
}

/// The lines of a manifest that name another package.
func fetchedPackages(_ manifest: String) -> [String] {
    manifest.codeLines.map(\.text).filter { line in
        let text = line.filter { !$0.isWhitespace }
        return text.contains(".package(") || text.contains("package:\"")
    }
}
