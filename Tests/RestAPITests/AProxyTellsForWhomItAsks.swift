import HTTPServer
import Platform
import Testing

@testable import RestAPI
@testable import Routes

@Suite struct AProxyTellsForWhomItAsks {
    private let proxies: TrustedProxies

    init() throws {
        let networks = try [("10.0.0.0", 104), ("::1", 128)].map { text, bits in
            IPNetwork(try #require(IPAddress(text)), prefixLength: bits)
        }
        proxies = TrustedProxies(networks: networks)
    }

    /// peer, X-Forwarded-For headers -> the client
    @Test(
        arguments: [
            ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", ["192.0.2.1"], "192.0.2.1"),
            ("::ffff:10.0.0.1", ["192.0.2.1"], "192.0.2.1"), ("::1", ["2001:db8::1"], "2001:db8::1"),
            // What stands before the first one whom we do not trust may be invented.
            ("10.0.0.1", ["8.8.8.8, 192.0.2.1, 10.0.0.2"], "192.0.2.1"),
            ("10.0.0.1", ["10.9.9.9,10.0.0.2"], "10.9.9.9"),
            // A header of the client's own stands before the proxy's.
            ("10.0.0.1", ["8.8.8.8", "192.0.2.1"], "192.0.2.1"), ("10.0.0.1", ["192.0.2.1", ""], "192.0.2.1"),
            // Nobody else is believed.
            ("192.0.2.9", ["8.8.8.8"], "192.0.2.9"), ("127.0.0.1", ["8.8.8.8"], "127.0.0.1"),
            // With a port; and what is no address.
            ("10.0.0.1", ["192.0.2.1:4711"], "192.0.2.1"), ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
            ("10.0.0.1", [" 192.0.2.1 "], "192.0.2.1"), ("10.0.0.1", ["8.8.8.8, unknown"], "10.0.0.1"),
            ("10.0.0.1", ["8.8.8.8, _hidden, 10.0.0.2"], "10.0.0.2"),
        ] as [(String, [String], String)])
    func client(_ peer: String, _ forwarded: [String], _ client: String) throws {
        let request = Request(
            target: "/", headers: forwarded.map { (name: "X-Forwarded-For", value: $0) }, peer: .tcp(address: peer))
        #expect(proxies.address(of: request) == IPAddress(client))
    }

    @Test func aUserOfThisMachineIsNoAddress() {
        let request = Request(
            target: "/", headers: [(name: "X-Forwarded-For", value: "8.8.8.8")],
            peer: .local(user: 7, group: 7, process: 1))
        #expect(proxies.address(of: request) == nil)
        #expect(proxies.client(of: request) == .user(7))
    }

    /// Whoever can connect to a Unix socket is believed; what names nobody is counted for nobody's address.
    @Test(
        arguments: [
            (["8.8.8.8, 192.0.2.1"], "192.0.2.1"), (["192.0.2.1, 10.0.0.2"], "192.0.2.1"), ([], nil),
            (["unknown"], nil),
        ] as [([String], String?)])
    func overAUnixSocket(_ forwarded: [String], _ client: String?) throws {
        let headers = forwarded.map { (name: "X-Forwarded-For", value: $0) }
        let request = Request(target: "/", headers: headers, peer: .unix)
        #expect(proxies.address(of: request) == client.flatMap { IPAddress($0) })
        #expect(proxies.client(of: request) == client.flatMap { IPAddress($0) }.map { Client($0) } ?? .unixSocket)
    }

    @Test func aListWithoutEndIsNotReadToItsEnd() throws {
        let list = ["8.8.8.8"] + Array(repeating: "10.0.0.2", count: 5000)
        let request = Request(
            target: "/", headers: [(name: "X-Forwarded-For", value: list.joined(separator: ","))],
            peer: .tcp(address: "10.0.0.1"))
        #expect(proxies.address(of: request) == IPAddress("10.0.0.2"))
    }

    @Test func clientsBehindItAreCountedEachForItself() throws {
        var policy = ClientPolicy()
        policy.requestLimit = 1
        policy.trustedProxies = proxies.networks
        let test = try TestGateway(policy: policy)
        let ask = { (client: String) in
            try test.ask(
                "GET", "/api/health", headers: [(name: "X-Forwarded-For", value: client)],
                peer: .tcp(address: "10.0.0.1"))
        }
        #expect(try ask("192.0.2.1").status == 200)
        #expect(try ask("192.0.2.1").status == 429)
        #expect(try ask("192.0.2.2").status == 200)
        #expect(try ask("192.168.1.5").header("RateLimit-Limit") == nil)
    }
}
