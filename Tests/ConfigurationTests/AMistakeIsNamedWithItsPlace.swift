import Configuration
import Testing

@Suite struct AMistakeIsNamedWithItsPlace {
    /// The text of the file; what is said after the file's path, which is FILE in it.
    @Test(arguments: [
        ("\n# x\ndevcie = auto", ":3: unknown key \"devcie\"; did you mean \"device\"?"),
        ("log_level = info", ":1: unknown key \"log_level\"; did you mean \"log-level\"?"),
        ("Listen = 1", ":1: unknown key \"Listen\"; did you mean \"listen\"?"),
        (
            "colour = red",
            ":1: unknown key \"colour\"; the keys are device, database, listen, tls-certificate, tls-key, base-path, web, public-url, "
                + "log-level, socket, name, key-change, flight-recorder, queue-messages, message-lifetime, rate-limit-requests, rate-limit-messages, allowed-origins, trusted-proxies, "
                + "keep-telemetry, keep-positions, keep-packets, keep-messages, keep-notifications, database-size, rules-channel-use, "
                + "rules-airtime, share, share-networks, push-hosts, push-contact, apns-key, apns-key-id, "
                + "apns-team, apns-topic, apns-text"
        ),
        ("device auto", ":1: a line is KEY = VALUE or a comment after #"),
        ("[section]", ":1: a line is KEY = VALUE or a comment after #"),
        ("name = \"a", ":1: the quotation mark is not closed"),
        ("name = \"a\" b", ":1: only a comment may follow a quoted value"),
        ("name = a\n\nname = b", ":3: \"name\" is already set in line 1"),
        (
            "listen = 8080\nlog-level = loud",
            ":2: log-level cannot be \"loud\"; allowed is trace, debug, info, notice, warning, error"
        ),
        (
            "device = ttyUSB0",
            ":1: device cannot be \"ttyUSB0\"; allowed is auto, simulated, tcp:HOST[:PORT] or a path"
        ),
        (
            "listen = 1\nlisten = localhost",
            ":2: listen cannot be \"localhost\"; allowed is HOST:PORT, [IPv6]:PORT, *:PORT or PORT, 0 to 65535, "
                + "unix:/PATH of at most 107 bytes, or systemd"
        ),
        (
            "device = auto\n\ndevice = /dev/ttyUSB0\ndevice = auto",
            ":4: device \"auto\" is already there, in FILE:1; each may be named once"
        ),
        (
            "device = tcp:hill\ndevice = tcp:hill:4403",
            ":2: device \"tcp:hill:4403\" is already there, in FILE:1; each may be named once"
        ),
        (
            "device = simulated\ndevice = simulated:nodes=3,seed=1",
            ":2: device \"simulated:nodes=3,seed=1\" is already there, in FILE:1; each may be named once"
        ),
        (
            "device = auto\ndevice = ttyUSB0",
            ":2: device cannot be \"ttyUSB0\"; allowed is auto, simulated, tcp:HOST[:PORT] or a path"
        ),
        ("key-change = accept", ":1: key-change cannot be \"accept\"; allowed is refuse, hold or send"),
        ("name =", ":1: name cannot be \"\"; allowed is 1 to 64 printable characters"),
        ("database = ", ":1: database cannot be \"\"; allowed is a path"),
        ("rate-limit-message = 5", ":1: unknown key \"rate-limit-message\"; did you mean \"rate-limit-messages\"?"),
        (
            "rate-limit-messages = 30/min",
            ":1: rate-limit-messages cannot be \"30/min\"; allowed is 1 to 1000000, or unlimited"
        ),
        (
            "allowed-origins = *\nallowed-origins = mesh.example.org",
            ":2: allowed-origins cannot be \"mesh.example.org\"; "
                + "allowed is SCHEME://HOST or SCHEME://HOST:PORT, such as https://mesh.example.org, or *"
        ),
        (
            "trusted-proxies = 10.0.0.0/33",
            ":1: trusted-proxies cannot be \"10.0.0.0/33\"; "
                + "allowed is an IP address or a network such as 192.0.2.0/24 or 2001:db8::/32"
        ),
        (
            "share = 4403",
            ":1: share cannot be \"4403\"; allowed is ADDRESS:PORT, [IPv6]:PORT or *:PORT, then /read, /send or /admin if "
                + "it is not /send, then /close if connections end when settings change, then @SOURCE if there are several radios"
        ),
        (
            "share = *:4403/read\nshare = 127.0.0.1:4403/admin",
            ":2: share \"127.0.0.1:4403/admin\" is already there, in FILE:1; each may be named once"
        ),
        (
            "device = auto\ndevice = tcp:hill\nshare = *:4403@Default\nshare = *:4404",
            ":4: share \"*:4404/send\" does not say which of the radios it shares; put the name of its source behind it: "
                + "*:4404/send@NAME (mesh-gateway status shows the names)"
        ),
        (
            "public-url = mesh.example.org",
            ":1: public-url cannot be \"mesh.example.org\"; allowed is a URL such as https://mesh.example.org/"
        ),
        (
            "share-networks = 10.0.0.1/24",
            ":1: share-networks cannot be \"10.0.0.1/24\"; "
                + "allowed is an IP address or a network such as 192.0.2.0/24 or 2001:db8::/32"
        ),
        (
            "push-hosts = https://ntfy.lan",
            ":1: push-hosts cannot be \"https://ntfy.lan\"; allowed is HOST or HOST:PORT, such as ntfy.lan or 192.168.1.10:8443"
        ),
        (
            "push-contact = you@example.org",
            ":1: push-contact cannot be \"you@example.org\"; allowed is mailto:NAME@HOST or a URL that begins with https://"
        ),
        (
            "apns-key-id = abcde12345",
            ":1: apns-key-id cannot be \"abcde12345\"; allowed is the 10 capital letters and digits that Apple shows"
        ),
        (
            "apns-topic = mesh",
            ":1: apns-topic cannot be \"mesh\"; allowed is the app's bundle id, such as org.example.mesh"
        ),
    ]) func inAFile(text: String, said: String) throws {
        let directory = try ConfigurationDirectory(text)
        #expect(directory.mistake().map { "\($0)" } == directory.file + said.replacing("FILE", with: directory.file))
    }

    @Test func inADropIn() throws {
        let directory = try ConfigurationDirectory("", dropIns: ["a.conf": "xyzzy = a"])
        let said = "\(directory.dropIns)/a.conf:1: unknown key \"xyzzy\"; the keys are"
        #expect("\(try #require(directory.mistake()))".hasPrefix(said))
    }

    @Test func inTheEnvironment() throws {
        let directory = try ConfigurationDirectory("")
        #expect(
            directory.mistake(environment: ["MESH_GATEWAY_DEVIC": "auto"]).map { "\($0)" }
                == "environment variable MESH_GATEWAY_DEVIC is unknown; did you mean MESH_GATEWAY_DEVICE?")
        #expect(
            directory.mistake(environment: ["MESH_GATEWAY_LISTEN": "1,x"]).map { "\($0)" }
                == "environment variable MESH_GATEWAY_LISTEN: listen cannot be \"x\"; "
                + "allowed is HOST:PORT, [IPv6]:PORT, *:PORT or PORT, 0 to 65535, "
                + "unix:/PATH of at most 107 bytes, or systemd")
        #expect(directory.mistake(environment: ["MESH_GATEWAY_LISTEN": ","]) != nil)
        #expect(
            directory.mistake(environment: ["RATE_LIMIT_API": "many"]).map { "\($0)" }
                == "environment variable RATE_LIMIT_API: rate-limit-requests cannot be \"many\"; "
                + "allowed is 1 to 1000000, or unlimited")
        #expect(
            directory.mistake(environment: ["MESH_GATEWAY_DEVICE": "tcp:hill,auto,tcp:hill"]).map { "\($0)" }
                == "environment variable MESH_GATEWAY_DEVICE: device \"tcp:hill\" is already there; "
                + "each may be named once")
        #expect(directory.mistake(environment: ["MESH_GATEWAY_DEVICE": ","]) != nil)
        #expect(directory.mistake(environment: ["MESH_GATEWAY_DEVICE": "auto,seed=2"]) != nil)
        // Somebody's script may have variables of its own.
        #expect(directory.mistake(environment: ["MESH_GATEWAY_TOKEN": "x", "DEVICE": "y"]) == nil)
    }

    @Test func inAnOption() throws {
        let directory = try ConfigurationDirectory("")
        var options = Configuration.Options()
        options.devices = ["auto", "COM3"]
        #expect {
            try directory.load(options: options)
        } throws: { error in
            "\(error)" == "option --device: device cannot be \"COM3\"; "
                + "allowed is auto, simulated, tcp:HOST[:PORT] or a path"
        }
    }

    @Test func anOverriddenValueIsCheckedToo() throws {
        let directory = try ConfigurationDirectory("log-level = loud")
        #expect(directory.mistake(environment: ["MESH_GATEWAY_LOG_LEVEL": "info"]) != nil)
    }

    @Test func whenTheNamedFileIsMissing() throws {
        let directory = try ConfigurationDirectory()
        let said =
            "the configuration file \(directory.file) cannot be read: No such file or directory; name another with --config"
        #expect(directory.mistake().map { "\($0)" } == said)
        let environment = ["MESH_GATEWAY_CONFIG": directory.file]
        #expect(throws: ConfigurationError.self) { try Configuration.load(environment: environment) }
    }

    @Test func whenTheFileIsADirectory() throws {
        let directory = try ConfigurationDirectory("")
        #expect(throws: ConfigurationError.unreadable(path: directory.path, reason: "Is a directory")) {
            try Configuration.load(file: directory.path, environment: [:])
        }
    }

    @Test func whenTheFileIsNoText() {
        #expect(throws: ConfigurationError.self) { try Configuration.load(file: "/proc/self/exe", environment: [:]) }
        #expect(throws: ConfigurationError.unreadable(path: "/dev/zero", reason: "it is longer than 1 MiB")) {
            try Configuration.load(file: "/dev/zero", environment: [:])
        }
    }
}
