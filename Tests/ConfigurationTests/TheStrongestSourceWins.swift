import Configuration
import Platform
import Testing

@Suite struct TheStrongestSourceWins {
    @Test func withoutAnySourceEverythingIsBuiltIn() throws {
        let configuration = Configuration()
        #expect(configuration.devices == [.automatic])
        #expect(configuration.database == nil)
        #expect(configuration.listen == [ListenAddress(host: "", port: 8080)])
        #expect(configuration.logLevel == .info)
        #expect(configuration.socket == nil)
        #expect(configuration.keyChange == .refuse)
        #expect(!configuration.queuesMessages)
        #expect(configuration.messageLifetime == KeepingTime(hours: 24))
        #expect(configuration.requestLimit == RequestLimit(count: 1000))
        #expect(configuration.messageLimit == RequestLimit(count: 30))
        #expect(configuration.allowedOrigins == [.site("http://localhost:8080"), .site("http://localhost:3001")])
        #expect(configuration.trustedProxies.isEmpty)
        #expect(configuration.pushHosts.isEmpty && configuration.pushContact == nil)
        #expect(configuration.appleKey == nil && !configuration.showsAppleTexts)
        #expect(configuration.shares.isEmpty && configuration.shareNetworks.isEmpty)
        #expect(Key.allCases.allSatisfy { configuration.origin(of: $0) == .builtIn })
    }

    @Test func fromFileToOption() throws {
        let directory = try ConfigurationDirectory(
            """
            # The radio in the attic
            device    = /dev/ttyUSB0      # a dongle
            database  = "/var/lib/x y#1.db"
            log-level = debug
            socket    = /run/a.sock
            name      = Attic "3" #2
            key-change = hold
            """,
            dropIns: [
                "10-b.conf": "database=/b\nlog-level=notice\n", "9.conf": "database = /nine",
                "50.conf.disabled": "database = /no", ".hidden.conf": "database = /no", "B.conf": "socket = /B",
                "a.conf": "socket = /a",
            ])
        var options = Configuration.Options()
        options.logLevel = "TRACE"
        let configuration = try directory.load(
            environment: ["MESH_GATEWAY_NAME": "Cellar", "MESH_GATEWAY_LOG_LEVEL": "error"], options: options)
        #expect(configuration.devices == [.path("/dev/ttyUSB0")])
        #expect(configuration.origin(of: .device) == .file(path: directory.file, line: 2))
        // "10-b.conf" < "9.conf" < "B.conf" < "a.conf" in byte order.
        #expect(configuration.database == "/nine")
        #expect(configuration.origin(of: .database) == .file(path: directory.dropIns + "/9.conf", line: 1))
        #expect(configuration.socket == "/a")
        #expect(configuration.sourceName == "Cellar")
        #expect(configuration.keyChange == .hold)
        #expect(configuration.origin(of: .sourceName) == .environment("MESH_GATEWAY_NAME"))
        #expect(configuration.logLevel == .trace)
        #expect(configuration.origin(of: .logLevel) == .option("--log-level"))
        #expect(configuration.origin(of: .listen) == .builtIn)
    }

    @Test func aListIsReplacedWhole() throws {
        let directory = try ConfigurationDirectory(
            "listen = 1\nlisten = [::1]:2\n", dropIns: ["x.conf": "listen = 127.0.0.1:3\nlisten = *:4"])
        #expect(
            try directory.load().listen == [
                ListenAddress(host: "127.0.0.1", port: 3), ListenAddress(host: "", port: 4),
            ])
        #expect(
            try directory.load(environment: ["MESH_GATEWAY_LISTEN": "5, localhost:6"]).listen == [
                ListenAddress(host: "", port: 5), ListenAddress(host: "localhost", port: 6),
            ])
        var options = Configuration.Options()
        options.listen = [":7"]
        #expect(
            try directory.load(environment: ["MESH_GATEWAY_LISTEN": "5"], options: options).listen == [
                ListenAddress(host: "", port: 7)
            ])
    }

    /// Values with commas or blanks, as the environment writes them.
    @Test func aQuotedValueOfAListKeepsItsCommasAndBlanks() throws {
        let directory = try ConfigurationDirectory("")
        let configuration = try directory.load(environment: [
            "MESH_GATEWAY_LISTEN": #""unix:/run/a, b \"c\"/api.sock",8081  "[::1]:8082""#,
            "MESH_GATEWAY_DEVICE": #""/dev/my radio, the \\ old one", /dev/my other radio"#,
        ])
        #expect(
            configuration.listen == [
                .unix(path: #"/run/a, b "c"/api.sock"#), ListenAddress(host: "", port: 8081),
                ListenAddress(host: "::1", port: 8082),
            ])
        #expect(
            configuration.devices == [.path(#"/dev/my radio, the \ old one"#), .path("/dev/my other radio")])
        // Every value of a list survives the way through the environment.
        for value in configuration.values(of: .listen) + configuration.values(of: .device) {
            let quoted = "\"" + value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
            let name = value.hasPrefix("/dev") ? "MESH_GATEWAY_DEVICE" : "MESH_GATEWAY_LISTEN"
            let again = try directory.load(environment: [name: quoted])
            #expect(again.values(of: value.hasPrefix("/dev") ? .device : .listen) == [value])
        }
        // An open quotation mark is a mistake that shows the value.
        #expect(throws: ConfigurationError.self) { try directory.load(environment: ["MESH_GATEWAY_LISTEN": "\"8080"]) }
    }

    @Test func severalRadiosAreAList() throws {
        let directory = try ConfigurationDirectory("device = auto\ndevice = tcp:hill\n")
        let hill = DeviceSetting.tcp(host: "hill", port: 4403)
        #expect(try directory.load().devices == [.automatic, hill])
        // A simulated radio's own commas do not part it.
        let list = "tcp:hill, simulated:seed=7,nodes=200 ,/dev/ttyUSB0,simulated:nodes=3,seed=8,"
        var (one, another) = (DeviceSetting.Simulation(), DeviceSetting.Simulation())
        (one.seed, one.nodes) = (7, 200)
        (another.seed, another.nodes) = (8, 3)
        #expect(
            try directory.load(environment: ["MESH_GATEWAY_DEVICE": list]).devices == [
                hill, .simulated(one), .path("/dev/ttyUSB0"), .simulated(another),
            ])
        var options = Configuration.Options()
        options.devices = ["simulated", "./pty"]
        let configuration = try directory.load(environment: ["MESH_GATEWAY_DEVICE": list], options: options)
        #expect(configuration.devices == [.simulated(DeviceSetting.Simulation()), .path("./pty")])
        #expect(configuration.origin(of: .device) == .option("--device"))
    }

    @Test func meshMonitorsVariablesAreWeakerThanOurs() throws {
        let directory = try ConfigurationDirectory("rate-limit-requests = 7\nrate-limit-messages = 7")
        let theirs = [
            "RATE_LIMIT_API": "unlimited", "RATE_LIMIT_MESSAGES": "5",
            "ALLOWED_ORIGINS": "https://a.example.org, https://b.example.org/", "TRUST_PROXY": "true",
        ]
        let configuration = try directory.load(environment: theirs)
        #expect(configuration.requestLimit == .unlimited)
        #expect(configuration.origin(of: .requestLimit) == .environment("RATE_LIMIT_API"))
        #expect(configuration.messageLimit == RequestLimit(count: 5))
        #expect(configuration.allowedOrigins == [.site("https://a.example.org"), .site("https://b.example.org")])
        #expect(configuration.trustedProxies.isEmpty)

        let both = try directory.load(
            environment: theirs.merging([
                "MESH_GATEWAY_RATE_LIMIT_REQUESTS": "9", "MESH_GATEWAY_RATE_LIMIT_MESSAGES": "unlimited",
                "MESH_GATEWAY_ALLOWED_ORIGINS": "*", "MESH_GATEWAY_TRUSTED_PROXIES": "10.0.0.1 ::1",
            ]) { $1 })
        #expect(both.requestLimit == RequestLimit(count: 9))
        #expect(both.origin(of: .requestLimit) == .environment("MESH_GATEWAY_RATE_LIMIT_REQUESTS"))
        #expect(both.messageLimit == .unlimited)
        #expect(both.allowedOrigins == [.any])
        #expect(both.trustedProxies == ["10.0.0.1", "::1"].compactMap { IPNetwork($0) })
        #expect(both.trustedProxies.count == 2)
        // An empty variable is none.
        #expect(try directory.load(environment: ["RATE_LIMIT_API": ""]).requestLimit == RequestLimit(count: 7))
    }

    @Test func anEmptyFileMayHaveDropIns() throws {
        let directory = try ConfigurationDirectory("", dropIns: ["x.conf": "name = Roof"])
        #expect(try directory.load().sourceName == "Roof")
    }

    @Test func theEnvironmentMayNameTheFile() throws {
        let directory = try ConfigurationDirectory("name = Roof")
        let configuration = try Configuration.load(environment: ["MESH_GATEWAY_CONFIG": directory.file])
        #expect(configuration.sourceName == "Roof")
    }

    @Test func anEmptyVariableIsNone() throws {
        let directory = try ConfigurationDirectory("name = Roof\r\n\r\n")
        #expect(try directory.load(environment: ["MESH_GATEWAY_NAME": ""]).sourceName == "Roof")
    }

    /// Line, value of "name".
    @Test(arguments: [
        ("name = a", "a"), ("name=a", "a"), ("  name\t=\ta  ", "a"), ("name = a b", "a b"), ("name = a#b", "a#b"),
        ("name = a #b", "a"), ("name = \"a #b\"", "a #b"), (#"name = "a \"b\" \\ \c" # d"#, #"a "b" \ \c"#),
        ("name = \" a \"", " a "), ("name = a = b", "a = b"), ("\u{FEFF}name = a", "a"), ("name = é🐝", "é🐝"),
    ]) func howALineIsRead(line: String, value: String) throws {
        #expect(try ConfigurationDirectory(line + "\n").load().sourceName == value)
    }
}
