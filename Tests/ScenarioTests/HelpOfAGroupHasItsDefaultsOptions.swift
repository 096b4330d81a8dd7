import Testing

@testable import ServedProgram

/// `mesh-gateway node NODE --notes TEXT` works, so its help says so.
@Test func helpOfAGroupHasItsDefaultsOptions() throws {
    let folders = try Folders()
    for (words, options) in [
        (["help", "node"], ["<node>", "--nickname", "--notes", "--json", "merge"]),
        (["waypoint", "--help"], ["--json", "create"]), (["help", "rule"], ["--json", "remove"]),
    ] {
        let program = try Program(words, in: folders)
        #expect(try program.exitCode() == 0)
        for option in options { #expect(program.output.text.contains(option), "\(words): \(option)") }
    }
}
