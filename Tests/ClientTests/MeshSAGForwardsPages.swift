import Testing

@testable import ServedProgram
@testable import StrictJSON

/// MeshSAG turns POCSAG pages into texts. It looks at nothing but the status: what is not 2xx is an error.
@Suite struct MeshSAGForwardsPages {
    /// Its own members, which are settings, stand beside those that the API knows.
    private func send(_ mesh: Mesh, _ body: [String: JSON]) throws -> Answer {
        try mesh.client.post("/api/v1/messages", .object(body.merging(["priority": 1, "source": "POCSAG"]) { $1 }))
    }

    @Test func aPageGoesToAChannelOrToANode() throws {
        let mesh = try Mesh()
        // Whoever sets it up reads this first, in a browser and without a token.
        #expect(try mesh.client(token: nil).get("/api/v1/docs").status == 200)
        let hiker = mesh.cast(0)
        #expect(try send(mesh, ["text": "RIC 1234567: Übung, Wache 2", "channel": 1]).status == 201)
        #expect(try send(mesh, ["text": "Bitte melden", "toNodeId": .string(hiker.id)]).status == 201)
        let direct = mesh.radio.waitForPacket(timeout: Program.patience) { $0.to == hiker && $0.id != 0 }
        #expect(direct != nil)
        #expect(mesh.here.texts.first == "RIC 1234567: Übung, Wache 2")
    }

    /// It cuts texts at 233 bytes, which is more than a packet holds.
    @Test func aLongPageIsSplit() throws {
        let mesh = try Mesh()
        let text = String(repeating: "Alarm ", count: 38) + "Ende!"
        #expect(text.utf8.count == 233)
        #expect(try send(mesh, ["text": .string(text), "channel": 0]).status == 202)
        try mesh.gateway.eventually("both parts have gone out") { mesh.here.texts.count == 2 }
    }

    /// Its sample configuration addresses `ALPHA`.
    @Test func anAddressThatIsNoneIsAnError() throws {
        let mesh = try Mesh()
        #expect(try send(mesh, ["text": "Probe", "toNodeId": "ALPHA"]).status == 400)
        #expect(mesh.here.texts.isEmpty)
    }
}
