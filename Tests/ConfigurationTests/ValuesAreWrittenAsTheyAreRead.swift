import Configuration
import Platform
import Testing

/// A configuration, written as a file and read again, is the same.
@Suite struct ValuesAreWrittenAsTheyAreRead {
    private static let everything = """
        device = auto
        device = tcp:[2001:db8::1]:4404
        device = "/dev/serial/by-id/a # b"
        device = simulated:seed=7,nodes=50
        database = " /var/lib/x "
        listen = 8080
        listen = [::1]:1
        listen = box.example.org:0
        listen = unix:/run/mesh gateway/api.sock
        listen = systemd
        tls-certificate = /etc/mesh-gateway/cert.pem
        tls-key = /etc/mesh-gateway/key.pem
        base-path = mesh/deep/
        web = no
        public-url = HTTPS://mesh.example.org/hut
        log-level = TRACE
        socket = "#socket"
        name = "The \\"Hut\\" C:\\\\ #2"
        key-change = hold
        flight-recorder = no
        queue-messages = yes
        message-lifetime = 2w
        rate-limit-requests = unlimited
        rate-limit-messages = 7
        allowed-origins = https://MESH.example.org:443/
        allowed-origins = *
        trusted-proxies = 192.0.2.0/24
        trusted-proxies = 10.0.0.1
        trusted-proxies = 2001:db8::/32
        trusted-proxies = ::1
        trusted-proxies = 0.0.0.0/0
        trusted-proxies = ::/0
        keep-telemetry = 36h
        keep-positions = 8w
        keep-packets = 1d
        keep-messages = 876000h
        keep-notifications = 24h
        database-size = 1500 MB
        rules-channel-use = 25
        rules-airtime = 0.5
        share = 127.0.0.1:4403@Default
        share = [::1]:4404/admin@Radio 2
        share = *:0/read@The "Hut"/#2@home
        share-networks = 192.168.1.0/24
        share-networks = fd00::/8
        apns-key = /etc/mesh-gateway/AuthKey_ABCDE12345.p8
        apns-key-id = ABCDE12345
        apns-team = TEAM123456
        apns-topic = org.example.Mesh-1
        apns-text = yes
        push-hosts = NTFY.lan
        push-hosts = 192.168.1.10:8443
        push-hosts = [fd00::1]:443
        push-contact = MAILTO:you@example.org
        """

    private static func written(_ configuration: Configuration) -> String {
        Key.allCases.flatMap { key in
            configuration.values(of: key).map { "\(key.rawValue) = \(Configuration.written($0))" }
        }.joined(separator: "\n")
    }

    /// Also what a list looks like when its values are taken from somewhere else.
    @Test(arguments: ["", everything, "keep-packets = 49h\ndatabase-size = 2 GB", "database-size = unlimited"])
    func readAgain(text: String) throws {
        let one = try ConfigurationDirectory(text).load()
        let again = try ConfigurationDirectory(Self.written(one)).load()
        for key in Key.allCases { #expect(again.values(of: key) == one.values(of: key), "\(key)") }
        #expect(again.devices == one.devices && again.listen == one.listen && again.sourceName == one.sourceName)
        #expect(again.trustedProxies == one.trustedProxies && again.allowedOrigins == one.allowedOrigins)
        #expect(again.pushHosts == one.pushHosts && again.pushContact == one.pushContact)
        #expect(again.shares == one.shares && again.shareNetworks == one.shareNetworks)
        #expect(again.keepPackets == one.keepPackets && again.databaseSize == one.databaseSize)
        #expect(again.requestLimit == one.requestLimit && again.messageLifetime == one.messageLifetime)
    }

    /// The slash before it counts, whether it was there or not. Fuzzing found a path of 100 bytes that was written with 101.
    @Test(arguments: ["/", ""]) func theLongestBasePath(slash: String) throws {
        let longest = slash + String(repeating: "a", count: 99)
        let one = try ConfigurationDirectory("base-path = \(longest)").load()
        #expect(try ConfigurationDirectory(Self.written(one)).load().basePath == one.basePath)
        #expect(throws: (any Error).self) { try ConfigurationDirectory("base-path = \(longest)a").load() }
    }

    @Test func thatCoversEveryKey() throws {
        let all = try ConfigurationDirectory(Self.everything).load()
        for key in Key.allCases {
            #expect(all.values(of: key) != Configuration().values(of: key), "\(key) is what is built in")
            var one = Configuration()
            one.copy(key, from: all)
            for other in Key.allCases {
                let expected = other == key ? all : Configuration()
                #expect(one.values(of: other) == expected.values(of: other), "taking \(key)")
                #expect(one.origins(of: other) == expected.origins(of: other))
            }
        }
    }

    @Test func eachValueOfAListHasItsLine() throws {
        let directory = try ConfigurationDirectory("listen = 1\n\nlisten = 2")
        #expect(
            try directory.load().origins(of: .listen) == [1, 3].map { .file(path: directory.file, line: $0) })
    }

    @Test(arguments: [("0.0.0.0/0", true), ("::/0", true), ("0.0.0.0/1", false), ("10.0.0.0/8", false), ("::1", false)])
    func everybodyIsEverybody(text: String, isEverybody: Bool) throws {
        #expect(try #require(IPNetwork(text)).isEverybody == isEverybody)
    }
}
