import Testing

@testable import ServedProgram

@Test func severalDaemonsRunSideBySide() throws {
    let (here, there) = (try Folders(), try Folders())
    var first = try ServedGateway(device: "simulated:seed=1", in: here)
    var second = try ServedGateway(device: "simulated:seed=2", in: there)
    try first.authorize()
    try second.authorize()
    try first.waitUntilLive()
    try second.waitUntilLive()
    // Each command has asked its own.
    #expect(try first.client.get("/api/v1/status").status == 200)
    #expect(try second.client.get("/api/v1/status").status == 200)
    let stranger = Client(host: "127.0.0.1", port: first.client.port, token: second.client.token)
    #expect(try stranger.get("/api/v1/status").status == 401)
    let numbers = try [first, second].map { try $0.client.get("/api/v1/status").data["localNodeNum"] }
    #expect(numbers[0] != numbers[1])
    try first.program.stop()
    #expect(try second.client.get("/api/v1/status").status == 200)
    try second.program.stop()
}

@Test func whatAnotherDaemonHasIsRefusedInOneSentence() throws {
    let folders = try Folders()
    let running = try ServedGateway(device: "simulated", in: folders)
    let other = try Folders()
    let address = "127.0.0.1:\(running.client.port)"
    // what is shared | options of the second one | part of the sentence
    let cases: [(Folders, [String], String)] = [
        (folders, ["--listen", "127.0.0.1:0"], "in use by another mesh-gateway (process \(running.program.process))"),
        (
            folders, ["--listen", "127.0.0.1:0", "--database", "\(other.state)/a.db"],
            "already listens on \(folders.socket)"
        ),
        (
            other, ["--listen", address],
            "\(address) is already in use by mesh-gateway (process \(running.program.process)"
        ),
        (
            other,
            ["--listen", "127.0.0.1:0", "--database", "\(folders.state)/mesh-gateway/simulated.db"],
            "in use by another mesh-gateway (process \(running.program.process))"
        ),
    ]
    for (place, options, sentence) in cases {
        let second = try Program(["serve", "--device", "simulated"] + options, in: place)
        #expect(try second.exitCode() == 69)
        #expect(second.errors.text.contains(sentence))
        #expect(second.errors.text.split(separator: "\n").count == 1, "\(second.errors.text)")
        #expect(second.output.text.isEmpty)
    }
    // The first one has not noticed.
    #expect(try running.client.get("/api/status").status == 200)
    #expect(try Program.run("token", "create", "phone", in: folders).code == 0)
    try running.program.stop()
}
