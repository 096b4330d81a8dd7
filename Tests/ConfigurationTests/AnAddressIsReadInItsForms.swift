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

    static let simulation: DeviceSetting.Simulation = {
        var simulation = DeviceSetting.Simulation()
        simulation.seed = 7
        simulation.nodes = 200
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
        ("/dev/ttyACM0", "/dev/ttyACM0"),
    ]) func aDeviceHasOneName(text: String, name: String) {
        #expect(DeviceSetting(text)?.description == name)
    }
}
