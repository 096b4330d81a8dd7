import Testing

@testable import ServedProgram

@Test func theVariablesOfMeshMonitorLimitAndAllow() throws {
    var gateway = try ServedGateway(
        device: "simulated", in: Folders(),
        environment: [
            "RATE_LIMIT_MESSAGES": "2", "ALLOWED_ORIGINS": "https://mesh.example.org,https://b.example.org",
            "MESH_GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8", "RATE_LIMIT_API": "3",
        ])
    try gateway.waitUntilLive()
    try gateway.authorize()
    for left in ["1", "0"] {
        let sent = try gateway.client.post("/api/v1/messages", ["text": "hello", "channel": 0])
        #expect(sent.status == 201)
        #expect(sent.headers["ratelimit-policy"] == "2;w=60")
        #expect(sent.headers["ratelimit-remaining"] == left)
    }
    let refused = try gateway.client.post("/api/v1/messages", ["text": "hello", "channel": 0])
    #expect(refused.status == 429)
    #expect(try refused.json == ["error": "Too many messages sent, please slow down", "retryAfter": "1 minute"])
    #expect((1...60).contains(try #require(refused.headers["retry-after"].flatMap { Int($0) })))

    // From outside, through the proxy on this machine.
    for expected in [200, 200, 200, 429] {
        #expect(try gateway.client.get("/api/health", ["X-Forwarded-For: 203.0.113.7"]).status == expected)
    }
    // Who is limited cannot call itself something else: the proxy's header is the last one.
    let invented = ["X-Forwarded-For: 203.0.113.99", "X-Forwarded-For: 203.0.113.7"]
    #expect(try gateway.client.get("/api/health", invented).status == 429)
    #expect(try gateway.client.get("/api/health", ["X-Forwarded-For: 203.0.113.8"]).status == 200)
    #expect(try gateway.client.get("/api/health").status == 200)

    let allowed = try gateway.client.get("/api/status", ["Origin: https://b.example.org"])
    #expect(allowed.headers["access-control-allow-origin"] == "https://b.example.org")
    #expect(try gateway.client.get("/api/status", ["Origin: http://localhost:3001"]).status == 500)
    #expect(
        try gateway.client.get("/api/status", ["Origin: http://127.0.0.1:\(gateway.client.port)"]).status == 200)
    try gateway.program.stop()
}

@Test func withoutALimitThereAreNoHeaders() throws {
    let folders = try Folders()
    let file = try folders.file("mesh.conf", "rate-limit-messages = unlimited\nallowed-origins = *\n")
    var gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
    try gateway.authorize()
    for _ in 0..<40 {
        let answer = try gateway.client.post("/api/v1/messages", [:])
        #expect(answer.status == 400)
        #expect(!answer.headers.keys.contains { $0.hasPrefix("ratelimit") })
    }
    let anywhere = try gateway.client.get("/api/status", ["Origin: https://anywhere.example"])
    #expect(anywhere.headers["access-control-allow-origin"] == "https://anywhere.example")
    try gateway.program.stop()
}

@Test func wrongTokensAreSlowedDownAndTheirAddressServed() throws {
    var gateway = try ServedGateway(device: "simulated", in: Folders())
    try gateway.authorize()
    var guesser = gateway.client
    guesser.token = "mm_v1_00112233445566778899aabbccddeeff"
    var statuses: [Int] = []
    // Pauses double, so that even a slow machine comes too early in the end.
    for _ in 0..<60 where statuses.last != 429 { statuses.append(try guesser.get("/api/v1/nodes").status) }
    #expect(statuses.prefix(10).allSatisfy { $0 == 401 })
    #expect(statuses.count > 10)
    #expect(statuses.last == 429)
    #expect(try gateway.client.get("/api/v1/nodes").status == 200)
    #expect(try gateway.client.get("/api/v1/nodes").status == 200)
    try gateway.program.stop()
}

// Sanitizers hold back what was freed.
@Test(.disabled(if: Program.isSanitized)) func manyClientsTakeLittleMemory() throws {
    var gateway = try ServedGateway(
        device: "simulated", in: Folders(), environment: ["MESH_GATEWAY_TRUSTED_PROXIES": "127.0.0.1"])
    try gateway.authorize()
    var guesser = gateway.client
    guesser.token = "mm_v1_00112233445566778899aabbccddeeff"
    func ask(_ clients: Range<Int>) throws {
        for client in clients {
            let address = "X-Forwarded-For: 2001:db8:\(String(client, radix: 16))::1"
            #expect(try guesser.get("/api/v1/nodes", [address]).status == 401)
        }
    }
    try ask(0..<1000)
    let before = gateway.program.residentBytes
    try ask(1000..<6000)
    #expect(gateway.program.residentBytes - before < 2_000_000)
    #expect(try gateway.client.get("/api/v1/nodes").status == 200)
    try gateway.program.stop()
}
