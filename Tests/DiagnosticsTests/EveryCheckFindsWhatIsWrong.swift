import Testing

@testable import Diagnostics

@Test func aHealthyBoxHasNothingWrong() throws {
    let box = try HealthyBox()
    let results = CheckRunner.run(on: box.facts, patience: 60_000_000_000)
    for result in results {
        #expect(result.finding.status == .ok, "\(result.name): \(result.finding.message)")
        #expect(result.finding.fix == nil)
    }
}

@Test func everyCheckHasANameOfItsOwn() throws {
    let names = try Check.all(on: HealthyBox().facts).map(\.name)
    #expect(names.count >= 24)
    #expect(Set(names).count == names.count)
    for name in names {
        #expect(name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(name)")
    }
}

/// What was provoked: every check is made ill at least once, and the sentence names the cause and the command.
@Test func everyCheckIsProvoked() throws {
    let provoked = Set(provocations.filter { $0.status != .skipped }.map(\.check))
    #expect(Set(try Check.all(on: HealthyBox().facts).map(\.name)).subtracting(provoked) == [])
    #expect(provocations.count { $0.status != .skipped } >= 40)
}

@Test(arguments: provocations.indices)
func whatIsWrongIsFound(_ index: Int) throws {
    let provocation = provocations[index]
    let box = try HealthyBox()
    try provocation.make(box)
    let finding = try box.finding(provocation.check)
    #expect(finding.status == provocation.status, "\(provocation.check): \(finding)")
    #expect(finding.message.contains(provocation.message), "\(provocation.check): \(finding.message)")
    #expect(finding.fix == provocation.fix, "\(provocation.check): \(finding.message)")
    #expect(finding.message.hasSuffix(".") || finding.message.hasSuffix("?"), "\(finding.message)")
}

struct Provocation: Sendable {
    var check: String
    var status: Check.Status
    /// A part of the sentence.
    var message: String
    var fix: String?
    var make: @Sendable (HealthyBox) throws -> Void

    init(
        _ check: String, _ status: Check.Status, _ message: String, _ fix: String?,
        _ make: @escaping @Sendable (HealthyBox) throws -> Void
    ) {
        (self.check, self.status, self.message, self.fix, self.make) = (check, status, message, fix, make)
    }
}

/// Check | status | part of the sentence | what to type | how it comes about.
let provocations: [Provocation] =
    gatewayProvocations + targetProvocations + pushProvocations + ruleAndBrokerProvocations + certificateProvocations
    + shareProvocations
    + portProvocations
    + radioProvocations + hostProvocations

private let gatewayProvocations = [
    Provocation(
        "configuration", .fault, "/etc/x.conf:3: unknown key \"databse\"", "sudoedit /etc/x.conf",
        { $0.facts.settings = Settings(file: "/etc/x.conf", mistake: "/etc/x.conf:3: unknown key \"databse\"") }),
    Provocation(
        "configuration", .fault, "mesh-gateway may not read /etc/x.conf.d/20.conf",
        "sudo chmod a+rX /etc/x.conf.d/20.conf",
        { $0.facts.settings.closedToService = "/etc/x.conf.d/20.conf" }),
    Provocation("daemon", .warning, "No daemon is running", "sudo systemctl start mesh-gateway", { $0.stopDaemon() }),
    Provocation(
        "daemon", .warning, "No daemon is running", "mesh-gateway serve",
        {
            $0.stopDaemon()
            $0.service(["LoadState": "not-found"])
        }),
    Provocation(
        "daemon", .warning, "/run/x.sock is not for ada", "sudo mesh-gateway doctor",
        { $0.facts.daemon = .closed("/run/x.sock") }),
    Provocation(
        "daemon", .fault, "does not answer: it hangs", "sudo systemctl restart mesh-gateway",
        { $0.facts.daemon = .silent("it hangs") }),
    Provocation(
        "daemon-version", .warning, "of version 0.0.9, this command of 0.1.0", "sudo systemctl restart mesh-gateway",
        { $0.facts.daemon = .running(version: "0.0.9", process: 700, uptime: 1, listeners: []) }),
    Provocation("daemon-version", .skipped, "No daemon", nil, { $0.stopDaemon() }),
    Provocation(
        "executable", .warning, "still runs a file that was replaced", "sudo systemctl restart mesh-gateway",
        {
            try $0.remove("/proc/700/exe")
            try $0.link("/proc/700/exe", to: "/usr/bin/mesh-gateway (deleted)")
        }),
    Provocation(
        "executable", .warning, "runs /usr/local/bin/mesh-gateway, this command is /usr/bin/mesh-gateway",
        "sudo rm /usr/local/bin/mesh-gateway && sudo systemctl restart mesh-gateway",
        {
            try $0.remove("/proc/700/exe")
            try $0.link("/proc/700/exe", to: "/usr/local/bin/mesh-gateway")
        }),
    Provocation(
        "executable", .warning, "runs /usr/bin/mesh-gateway, this command is /home/ada/mesh-gateway",
        "sudo rm /home/ada/mesh-gateway && sudo systemctl restart mesh-gateway",
        { $0.facts.executables.own = "/home/ada/mesh-gateway" }),
    Provocation(
        "executable", .warning, "/usr/local/bin/mesh-gateway hides the package's /usr/bin/mesh-gateway",
        "sudo rm /usr/local/bin/mesh-gateway",
        { $0.facts.executables.found.insert("/usr/local/bin/mesh-gateway", at: 0) }),
    Provocation(
        "executable", .warning, "There is /home/ada/bin/mesh-gateway beside", "sudo rm /home/ada/bin/mesh-gateway",
        { $0.facts.executables.found.append("/home/ada/bin/mesh-gateway") }),
    Provocation(
        "executable", .warning, "several: /usr/local/bin/mesh-gateway, /home/ada/bin/mesh-gateway",
        "sudo rm /home/ada/bin/mesh-gateway",
        { $0.facts.executables.found = ["/usr/local/bin/mesh-gateway", "/home/ada/bin/mesh-gateway"] }),
    Provocation(
        "executable", .warning, "The daemon runs /usr/local/bin/mesh-gateway, not the package's",
        "systemctl cat mesh-gateway",
        {
            try $0.remove("/proc/700/exe")
            try $0.link("/proc/700/exe", to: "/usr/local/bin/mesh-gateway")
            $0.facts.executables.own = "/usr/local/bin/mesh-gateway"
            $0.facts.executables.found.insert("/usr/local/bin/mesh-gateway", at: 0)
        }),
    Provocation(
        "executable", .ok, "/usr/bin/mesh-gateway", nil, { try $0.remove("/proc/700/exe") }),
    Provocation(
        "service", .fault, "failed (exit-code)", "journalctl -u mesh-gateway -n 50",
        { $0.service(["ActiveState": "failed", "Result": "exit-code", "StatusText": ""]) }),
    Provocation(
        "service", .fault, "failed (exit-code, exit code 69): port 8080 is already in use by nginx.",
        "journalctl -u mesh-gateway -n 50",
        {
            $0.service([
                "ActiveState": "activating", "SubState": "auto-restart", "Result": "exit-code", "ExecMainStatus": "69",
                "StatusText": "port 8080 is already in use by nginx.",
            ])
        }),
    Provocation(
        "service", .fault, "exit code 216): the group mesh-gateway or dialout is not there.",
        "sudo systemd-sysusers && sudo groupadd -rf dialout",
        { $0.service(["ActiveState": "failed", "Result": "exit-code", "ExecMainStatus": "216", "StatusText": ""]) }),
    Provocation(
        "service", .fault, "/var/lib/mesh-gateway cannot be made", "findmnt --target /var/lib",
        { $0.service(["ActiveState": "failed", "Result": "exit-code", "ExecMainStatus": "238", "StatusText": ""]) }),
    Provocation(
        "service", .fault, "exit code 78): /etc/x.conf:3: unknown key.", "sudo mesh-gateway config check",
        {
            $0.service([
                "ActiveState": "failed", "SubState": "failed", "Result": "exit-code", "ExecMainStatus": "78",
                "StatusText": "/etc/x.conf:3: unknown key",
            ])
        }),
    Provocation(
        "service", .warning, "will not start with the computer", "sudo systemctl enable mesh-gateway",
        { $0.service(["UnitFileState": "disabled"]) }),
    Provocation(
        "service", .warning, "inactive", "sudo systemctl enable --now mesh-gateway",
        { $0.service(["ActiveState": "inactive"]) }),
    Provocation(
        "service", .warning, "restarted 7 times", "journalctl -u mesh-gateway -n 50", { $0.service(["NRestarts": "7"]) }
    ),
    Provocation(
        "service", .warning, "/etc/systemd/system/mesh-gateway.service takes the place of the package's unit",
        "sudo rm /etc/systemd/system/mesh-gateway.service && sudo systemctl daemon-reload && "
            + "sudo systemctl restart mesh-gateway",
        {
            try $0.lay(["/lib/systemd/system/mesh-gateway.service": "[Service]\n"])
            $0.service(["FragmentPath": "/etc/systemd/system/mesh-gateway.service"])
        }),
    Provocation("service", .skipped, "no service", nil, { $0.service(["LoadState": "not-found"]) }),
    Provocation("service", .skipped, "no answer", nil, { $0.say("systemctl", nil) }),
    Provocation("service", .skipped, "not run by systemd", nil, { try $0.remove("/run/systemd/system") }),
    Provocation(
        "service-hardening", .fault, "as root", "sudo systemctl edit mesh-gateway", { $0.service(["User": ""]) }),
    Provocation(
        "service-hardening", .warning, "ProtectHome, PrivateTmp", "sudo systemctl edit mesh-gateway",
        { $0.service(["ProtectHome": "no", "PrivateTmp": "no"]) }),
    Provocation(
        "http-port", .fault, "Port 8080 is taken by nginx (process 812)",
        "echo 'listen = *:8081' | sudo tee /etc/mesh-gateway/mesh-gateway.conf.d/port.conf && "
            + "sudo systemctl restart mesh-gateway",
        {
            $0.stopDaemon()
            try $0.listen(8080, inode: 4711, process: 812, name: "nginx")
        }),
    Provocation(
        "http-port", .fault, "Port 8080 is taken by nginx (process 812)", "mesh-gateway serve --listen '*:8081'",
        {
            $0.stopDaemon()
            $0.service(["LoadState": "not-found"])
            try $0.listen(8080, inode: 4711, process: 812, name: "nginx")
        }),
    Provocation(
        "http-port", .fault, "a process of another user", "sudo mesh-gateway doctor",
        {
            $0.stopDaemon()
            try $0.listen(8080, inode: 4711)
        }),
    Provocation(
        "http-port", .warning, "another mesh-gateway (process 900)", "mesh-gateway status --socket PATH",
        {
            $0.stopDaemon()
            try $0.listen(8080, inode: 1, process: 900, name: "mesh-gateway")
        }),
    Provocation("http-port", .ok, "Port 8080 is free", nil, { $0.stopDaemon() }),
    Provocation(
        "tokens", .warning, "no token yet", "mesh-gateway token create phone",
        { $0.facts.database.tokens = .init(active: 0) }),
    Provocation(
        "tokens", .fault, "All tokens have expired", "mesh-gateway token create phone",
        { $0.facts.database.tokens = .init(active: 0, expired: 2) }),
    Provocation(
        "tokens", .warning, "map expires in 5 h", "mesh-gateway token create map-2",
        {
            $0.facts.database.tokens = .init(
                active: 1, nextName: "map", nextExpiry: HealthyBox.now + 5 * HealthyBox.hour)
        }),
    Provocation(
        "update", .warning, "Version 0.2.0 is available", "sudo apt update && sudo apt install mesh-gateway",
        { $0.facts.newest = .version("0.2.0") }),
    Provocation("update", .skipped, "no version", nil, { $0.facts.newest = .version("soon") }),
    Provocation("update", .skipped, "--updates", nil, { $0.facts.newest = nil }),
]

private let portProvocations = [
    Provocation(
        "radio-port", .fault, "No radio is plugged in", "mesh-gateway ports", { $0.facts.ports = [] }),
    Provocation(
        "radio-port", .fault, "may be behind /dev/ttyUSB0 (CP210x)", "mesh-gateway serve --device /dev/ttyUSB0",
        { $0.facts.ports = [PortFacts(path: "/dev/ttyUSB0", kind: .bridge, label: "CP210x")] }),
    Provocation(
        "radio-port", .fault, "2 radios",
        "mesh-gateway serve --device /dev/serial/by-id/usb-Radio_1 --device /dev/ttyACM1",
        { $0.facts.ports.append(PortFacts(path: "/dev/ttyACM1")) }),
    Provocation(
        "radio-port", .fault, "There is no /dev/ttyUSB7", "mesh-gateway ports",
        { $0.facts.settings.devices = ["/dev/ttyUSB7"] }),
    Provocation("radio-port", .skipped, "not on a serial port", nil, { $0.facts.settings.devices = ["tcp:hill:4403"] }),
    Provocation(
        "stable-port-name", .warning, "no link below /dev/serial/by-id", "sudo udevadm trigger --subsystem-match=tty",
        { $0.port { $0.stablePath = nil } }),
    Provocation(
        "stable-port-name", .warning, "/dev/serial/by-id/usb-Radio_1 stays",
        "mesh-gateway serve --device /dev/serial/by-id/usb-Radio_1",
        { $0.facts.settings.devices = ["/dev/ttyACM0"] }),
    Provocation(
        "udev-rules", .warning, "rules are missing", "sudo apt install --reinstall mesh-gateway",
        { try $0.remove("/usr/lib/udev/rules.d/70-mesh-gateway.rules") }),
    Provocation(
        "udev-rules", .warning, "/dev/ttyACM0 was there before",
        "sudo udevadm trigger --action=add --subsystem-match=tty",
        { try $0.remove("/dev/meshtastic-A1B2C3") }),
    Provocation("udev-rules", .ok, "rules are there", nil, { $0.facts.ports = [] }),
    Provocation("udev-rules", .skipped, "no udev", nil, { try $0.remove("/run/udev") }),
    Provocation(
        "udev-rules", .skipped, "not installed", nil,
        {
            try $0.remove("/usr/lib/udev/rules.d/70-mesh-gateway.rules")
            $0.facts.executables.own = "/home/ada/mesh-gateway"
        }),
    Provocation(
        "daemon-permission", .fault,
        "runs as mesh-gateway, who is not in the group dialout that /dev/ttyACM0 belongs to",
        "sudo usermod -aG dialout mesh-gateway && sudo systemctl restart mesh-gateway",
        {
            $0.radio { $0.link = "lost" }
            try $0.lay([
                "/proc/700/status": "Uid:\t990\t990\t990\t990\nGid:\t991\t991\t991\t991\nGroups:\t991\n",
                "/proc/700/cgroup": "0::/system.slice/mesh-gateway.service\n",
            ])
        }),
    Provocation(
        "daemon-permission", .fault, "belongs to. It counts after a new login.",
        "sudo usermod -aG dialout mesh-gateway",
        {
            $0.radio { $0.link = "lost" }
            try $0.lay([
                "/proc/700/status": "Uid:\t990\t990\t990\t990\nGid:\t991\t991\t991\t991\nGroups:\t991\n",
                "/proc/700/cgroup": "0::/user.slice/user-1000.slice/session-2.scope\n",
            ])
        }),
    Provocation(
        "daemon-permission", .ok, "as root", nil,
        { try $0.lay(["/proc/700/status": "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t\n"]) }),
    Provocation(
        "daemon-permission", .ok, "may open /dev/ttyACM0", nil,
        { try $0.lay(["/proc/700/status": "Uid:\t5\t5\t5\t5\nGid:\t5\t5\t5\t5\nGroups:\t\n"]) }),
    Provocation("daemon-permission", .skipped, "No daemon", nil, { $0.stopDaemon() }),
    Provocation("daemon-permission", .skipped, "as which user", nil, { try $0.remove("/proc/700/status") }),
    Provocation(
        "port-permission", .fault, "ada may not open /dev/ttyACM0: it belongs to the group dialout",
        "sudo usermod -aG dialout ada",
        {
            $0.stopDaemon()
            $0.facts.user.groups = []
            $0.facts.user.groupsAfterLogin = []
            $0.port { $0.isPermitted = false }
        }),
    Provocation(
        "port-permission", .fault, "added to the group dialout, but has not logged in again", "newgrp dialout",
        {
            $0.stopDaemon()
            $0.facts.user.groups = []
            $0.port { $0.isPermitted = false }
        }),
    Provocation(
        "port-permission", .ok, "The daemon may open", nil,
        {
            $0.facts.user.groups = []
            $0.port { $0.isPermitted = false }
        }),
    Provocation(
        "port-holder", .fault, "in use by screen (process 321)", "sudo kill 321",
        { $0.port { $0.holder = .init(id: 321, name: "screen") } }),
    Provocation(
        "port-holder", .fault, "in use by gpsd (process 322)", "sudo systemctl stop gpsd",
        {
            $0.port { $0.holder = .init(id: 322, name: "gpsd") }
            try $0.lay(["/proc/322/cgroup": "0::/system.slice/gpsd.service\n"])
        }),
    Provocation(
        "port-holder", .fault, "in use by cat (process 323)", "systemctl --user stop notes",
        {
            $0.port { $0.holder = .init(id: 323, name: "cat") }
            try $0.lay([
                "/proc/323/cgroup": "0::/user.slice/user-1000.slice/user@1000.service/app.slice/notes.service\n"
            ])
        }),
    Provocation(
        "port-holder", .fault, "in use by ModemManager", "sudo systemctl disable --now ModemManager",
        { $0.port { $0.holder = .init(id: 5, name: "ModemManager") } }),
    Provocation(
        "port-probers", .warning, "ModemManager (process 55)", "sudo systemctl disable --now ModemManager",
        { try $0.lay(["/proc/55/comm": "ModemManager\n"]) }),
    Provocation(
        "port-probers", .ok, "leaves the radio alone", nil,
        {
            try $0.lay([
                "/proc/55/comm": "ModemManager\n", "/run/udev/data/c166:0": "I:1\nE:ID_MM_DEVICE_IGNORE=1\n",
            ])
        }),
    Provocation(
        "port-probers", .warning, "brltty (process 66)", "sudo apt remove brltty",
        { try $0.lay(["/proc/66/comm": "brltty\n"]) }),
]

extension HealthyBox {
    /// Somebody listens on a port; without a process, one that this user may not look at.
    func listen(_ port: UInt16, inode: Int, process: Int? = nil, name: String = "?") throws {
        let number = String(port, radix: 16, uppercase: true)
        try lay([
            "/proc/net/tcp6": """
              sl  local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode
               0: 00000000000000000000000000000000:\(number) 00000000000000000000000000000000:0000 0A \
            00000000:00000000 00:00000000 00000000 1000 0 \(inode) 1 0 100 0 0 10 0
            """
        ])
        guard let process else { return }
        try lay(["/proc/\(process)/comm": name + "\n"])
        try link("/proc/\(process)/fd/4", to: "/dev/null")
        try link("/proc/\(process)/fd/7", to: "socket:[\(inode)]")
    }
}
