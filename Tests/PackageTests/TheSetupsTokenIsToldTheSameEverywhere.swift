import Testing

/// Whoever has a new radio meets the command for setting it up in five places. Each has it as it is typed there.
@Test(arguments: [
    "README.md", "deploy/MANUAL.md", "deploy/run", "Sources/WebPage/door.js",
    "Sources/mesh-gateway/StatusCommand.swift",
])
func theSetupsTokenIsToldTheSameEverywhere(_ file: String) throws {
    let lines = try Repository.text(file).split(separator: "\n").filter { $0.contains("token create setup") }
    #expect(lines.count == 1, "\(file): \(lines)")
    #expect(lines.allSatisfy { $0.contains("token create setup --scope admin --expires 1h --qr") }, "\(lines)")
}
