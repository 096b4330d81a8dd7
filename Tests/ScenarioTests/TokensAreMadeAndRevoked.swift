import Testing

@testable import ServedProgram

@Test func aRevokedTokenFailsOnItsNextRequest() throws {
    var gateway = try ServedGateway(device: "simulated", in: Folders())
    try gateway.authorize(as: "old phone")
    let old = gateway.client
    try gateway.authorize(as: "new phone")
    #expect(try old.get("/api/v1/status").status == 200)

    let list = try Program.run("token", "list", in: gateway.folders)
    #expect(list.output.contains("old phone"))
    #expect(!list.output.contains(try #require(old.token)))
    let revoked = try Program.run("token", "revoke", "old phone", in: gateway.folders)
    #expect(revoked.code == 0)
    #expect(try old.get("/api/v1/status").status == 401)
    #expect(try gateway.client.get("/api/v1/status").status == 200)

    let unknown = try Program.run("token", "revoke", "old phone", in: gateway.folders)
    #expect(unknown.code == 66)
    #expect(unknown.errors.contains("no token named \"old phone\""))
    let taken = try Program.run("token", "create", "new phone", in: gateway.folders)
    #expect(taken.code == 65)
    #expect(taken.output.isEmpty)
    try gateway.program.stop()
}

@Test func aTokenThatPhonesHoldIsTakenOver() throws {
    var gateway = try ServedGateway(device: "simulated", in: Folders())
    let held = "mm_v1_00112233445566778899aabbccddeeff"
    gateway.client.token = held
    #expect(try gateway.client.get("/api/v1/status").status == 401)
    let taken = try Program.run("token", "create", "phones", "--from-stdin", in: gateway.folders, input: held + "\n")
    #expect(taken.code == 0)
    #expect(taken.output == held + "\n")
    #expect(try gateway.client.get("/api/v1/status").status == 200)

    for wrong in ["", "\n", "mm_v1_short\n", "MM_V1_00112233445566778899aabbccddeeff\n"] {
        let refused = try Program.run("token", "create", "x", "--from-stdin", in: gateway.folders, input: wrong)
        #expect(refused.code == 65)
        #expect(refused.output.isEmpty)
        #expect(refused.errors.split(separator: "\n").count == 1)
    }
    try gateway.program.stop()
}

@Test func tokensAreMadeWithoutADaemon() throws {
    let folders = try Folders()
    let database = "\(folders.state)/some.db"
    let early = try Program.run("token", "list", "--database", database, in: folders)
    #expect(early.code == 66 && early.errors.contains("there is no database yet"), "looking makes none")
    let made = try Program.run("token", "create", "phone", "--database", database, in: folders)
    #expect(made.code == 0)
    let list = try Program.run("token", "list", "--database", database, in: folders)
    #expect(list.output.contains("phone"))
    #expect(list.output.contains("active"))

    var gateway = try ServedGateway(device: "simulated", in: folders, ["--database", database])
    gateway.client.token = String(made.output.dropLast())
    #expect(try gateway.client.get("/api/v1/status").status == 200)
    try gateway.program.stop()

    #expect(try Program.run("token", "revoke", "phone", "--database", database, in: folders).code == 0)
    let again = try ServedGateway(device: "simulated", in: folders, ["--database", database])
    gateway.client = Client(host: "127.0.0.1", port: again.client.port, token: gateway.client.token)
    #expect(try gateway.client.get("/api/v1/status").status == 401)
    try again.program.stop()
}
