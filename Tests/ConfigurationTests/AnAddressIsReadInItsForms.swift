import Configuration
import Testing

@Suite struct AnAddressIsReadInItsForms {
    /// Text, host and port, nil for a mistake.
    @Test(
        arguments: [
            ("8080", "", 8080), (":8080", "", 8080), ("*:8080", "", 8080), ("127.0.0.1:80", "127.0.0.1", 80),
            ("[::1]:8080", "::1", 8080), ("[::]:1", "::", 1), ("localhost:0", "localhost", 0), ("0", "", 0),
            ("65535", "", 65535), ("65536", nil, 0), ("x:65536", nil, 0), ("-1", nil, 0), ("x:-1", nil, 0),
            ("x:+1", nil, 0), ("::1:8080", nil, 0), ("[::1]", nil, 0), ("[::1", nil, 0), ("[::1]8080", nil, 0),
            ("[localhost]:1", nil, 0), ("localhost", nil, 0), ("localhost:", nil, 0), ("", nil, 0), (":", nil, 0),
            ("a b:1", nil, 0), ("http://x:1", nil, 0), ("x:1:2", nil, 0),
        ] as [(String, String?, UInt16)]) func toListenOn(text: String, host: String?, port: UInt16)
    {
        #expect(ListenAddress(text) == host.map { ListenAddress(host: $0, port: port) }, "\(text)")
    }

    @Test(
        arguments: [
            ("systemd", .systemd), ("unix:/run/api.sock", .unix(path: "/run/api.sock")), ("unix:", nil),
            ("unix:/", nil),
            ("unix:api.sock", nil), ("unix:/\(String(repeating: "x", count: 107))", nil), ("systemd:", nil),
            ("Systemd", nil), ("unix:/run/", nil),
        ] as [(String, ListenAddress?)]) func orASocket(text: String, address: ListenAddress?)
    {
        #expect(ListenAddress(text) == address, "\(text)")
        if let address { #expect("\(address)" == text) }
    }

    /// Text | how it is written in full, nil for a mistake.
    @Test(
        arguments: [
            ("127.0.0.1:4403", "127.0.0.1:4403/send"), ("[::1]:4403/read", "[::1]:4403/read"),
            ("*:4403/admin", "*:4403/admin"), ("192.168.1.2:0/send@Attic", "192.168.1.2:0/send@Attic"),
            ("*:4403@Radio 2/x@y", "*:4403/send@Radio 2/x@y"), ("[::]:1", "[::]:1/send"),
            ("*:4404/send/close", "*:4404/send/close"), ("*:4404/close@Attic", "*:4404/send/close@Attic"),
            ("[::1]:4404/admin/close", "[::1]:4404/admin/close"), ("*:4404/close/send", nil),
            ("*:4404/send/close/close", nil), ("*:4404/send/Close", nil), ("*:4404/send/", nil),
            ("4403", nil), (":4403", nil), ("*", nil), ("*:", nil), ("*:65536", nil), ("*:4403/", nil),
            ("*:4403/write", nil), ("*:4403/Read", nil), ("*:4403/read/send", nil), ("*:4403@", nil),
            ("*:4403@ x", nil), ("localhost:4403", nil), ("::1:4403", nil), ("[127.0.0.1]:1", nil), ("127.1:4403", nil),
            ("", nil), ("unix:/run/share.sock", nil), ("systemd", nil),
        ] as [(String, String?)]) func toShareARadio(text: String, written: String?)
    {
        #expect(ShareSetting(text).map { "\($0)" } == written, "\(text)")
        if let written { #expect(ShareSetting(written) == ShareSetting(text)) }
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.8.0.1:1", true), ("[::1]:1", true), ("*:1", false), ("[::]:1", false),
        ("0.0.0.0:1", false), ("192.168.0.1:1", false),
    ]) func onlyThisComputerOrMore(text: String, isLoopback: Bool) {
        #expect(ShareSetting(text)?.isLoopback == isLoopback)
    }

    static let simulation: DeviceSetting.Simulation = {
        var simulation = DeviceSetting.Simulation()
        simulation.seed = 7
        simulation.nodes = 200
        return simulation
    }()

    private static let fresh = {
        var simulation = DeviceSetting.Simulation()
        simulation.isFresh = true
        return simulation
    }()

    @Test(
        arguments: [
            ("auto", .automatic), ("/dev/ttyACM0", .path("/dev/ttyACM0")), ("./pty", .path("./pty")),
            ("tcp:10.0.0.1", .tcp(host: "10.0.0.1", port: 4403)),
            ("tcp:radio.local:1", .tcp(host: "radio.local", port: 1)),
            ("tcp:[fe80::1]", .tcp(host: "fe80::1", port: 4403)), ("tcp:[fe80::1]:9", .tcp(host: "fe80::1", port: 9)),
            ("simulated", .simulated(DeviceSetting.Simulation())),
            ("simulated:seed=7,nodes=200", .simulated(simulation)),
            ("simulated:fresh", .simulated(fresh)), ("simulated:fresh,seed=1", .simulated(fresh)),
            ("simulated:fresh=1", nil), ("simulated:fresh=", nil),
            ("tcp:", nil), ("tcp::1", nil), ("tcp:x:0", nil), ("tcp:fe80::1", nil), ("", nil), ("Auto", nil),
            ("ttyUSB0", nil), ("simulated:nodes=0", nil), ("simulated:speed=1", nil), ("simulated:seed", nil),
            ("simulatedx", nil),
        ] as [(String, DeviceSetting?)]) func ofADevice(text: String, device: DeviceSetting?)
    {
        #expect(DeviceSetting(text) == device, "\(text)")
        // What it is called is how it can be written.
        if let device { #expect(DeviceSetting("\(device)") == device) }
    }

    /// Text, the one name that it has.
    @Test(arguments: [
        ("tcp:hill", "tcp:hill:4403"), ("tcp:[fe80::1]", "tcp:[fe80::1]:4403"), ("auto", "auto"),
        ("simulated", "simulated:seed=1,nodes=24"), ("simulated:nodes=3", "simulated:seed=1,nodes=3"),
        ("simulated:seed=7,fresh", "simulated:fresh,seed=7,nodes=24"), ("/dev/ttyACM0", "/dev/ttyACM0"),
    ]) func aDeviceHasOneName(text: String, name: String) {
        #expect(DeviceSetting(text)?.description == name)
    }
}
