import Foundation
import Testing

@testable import Diagnostics

/// A Raspberry Pi on which all is well, to be made ill by a test: facts, and a tree of files in the place of /proc, /sys,
/// /run and /etc.
final class HealthyBox: @unchecked Sendable {  // belongs to one test
    var facts: Facts
    private let root: String
    /// Those that have been made in it.
    private var folders: Set<String> = []
    /// What programs of the system say, by their first word.
    private var answers: [String: String] = [:]

    static let now: Int64 = 1_795_262_400_000  // 2026-11-21, 12:00 UTC
    static let minute: Int64 = 60_000
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 86_400_000

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "box-\(UUID().uuidString)").path
        var radio = RadioFacts()
        radio.nodeID = "!a1b2c3d4"
        radio.link = "live"
        radio.since = Self.now - Self.hour
        radio.traffic = .init(bytes: 900_000, text: 4000, garbage: 0)
        radio.firmware = "2.8.0.775406858"
        radio.region = 3
        radio.regionName = "EU_868"
        radio.isTransmitterOff = false
        radio.lastPacket = Self.now - Self.minute
        radio.clockAhead = 0
        radio.channelUtilization = 8.5
        radio.airUtilization = 1.2
        radio.utilizationAt = Self.now - Self.minute
        radio.isStoreForwardServer = false
        var database = Database(
            path: "/var/lib/mesh-gateway/mesh.db", content: .open, integrity: { .checked(tables: 30, of: 30) },
            disk: { .init(free: 9_000_000_000, size: 30_000_000_000, device: "179:2") })
        database.used = 80_000_000
        database.limit = 200_000_000
        database.journalMode = "wal"
        database.droppedChanges = 0
        database.tokens = .init(active: 2)
        facts = Facts(
            version: "0.1.0", now: Self.now,
            user: CommandUser(name: "ada", isRoot: false, groups: [20], groupsAfterLogin: [20]),
            daemon: .running(version: "0.1.0", process: 700, uptime: 3600, listeners: ["*:8080"]),
            ports: [
                PortFacts(
                    path: "/dev/ttyACM0", stablePath: "/dev/serial/by-id/usb-Radio_1", label: "LoRa board", group: 20,
                    groupName: "dialout", holder: .init(id: 700, name: "mesh-gateway"), device: "166:0")
            ],
            mesh: .known([radio]), database: database, newest: .version("0.1.0"))
        facts.settings.certificate = CertificateFacts(path: "/etc/tls/cert.pem", key: "/etc/tls/key.pem")
        facts.settings.certificate?.validity = Self.now - 30 * Self.day...Self.now + 60 * Self.day
        facts.share.ports = [.init(place: "*:4403", port: 4403)]
        facts.share.isLimited = true
        facts.share.standings = [.init(place: "*:4403")]
        facts.share.announcement = .current
        facts.targets.names = ["mail", "phone"]
        facts.targets.failures = []
        facts.pushes.count = 2
        facts.rules.names = ["silent"]
        facts.rules.standings = [.init(name: "silent")]
        facts.brokers = [BrokerFacts(name: "house", state: "live")]
        facts.executables = Executables(own: "/usr/bin/mesh-gateway", found: ["/usr/bin/mesh-gateway"])
        try lay([
            "/run/systemd/system/.keep": "", "/run/systemd/timesync/synchronized": "",
            "/etc/mesh-gateway/mesh-gateway.conf": "device = auto\n", "/usr/sbin/avahi-daemon": "",
            "/usr/bin/curl": "",
            "/proc/meminfo": "MemTotal:        3884112 kB\nMemFree: 1 kB\nMemAvailable:    3000000 kB\n",
            "/proc/uptime": "360000.55 1000000.00\n", "/proc/700/comm": "mesh-gateway\n",
            "/proc/700/status":
                "Name:\tmesh-gateway\nUid:\t990\t990\t990\t990\nGid:\t991\t991\t991\t991\nGroups:\t20 991 \n",
            "/etc/passwd": "root:x:0:0::/root:/bin/sh\nmesh-gateway:x:990:991::/:/usr/sbin/nologin\n",
            "/run/udev/control": "", "/usr/lib/udev/rules.d/70-mesh-gateway.rules": "# rules\n",
            "/proc/net/tcp": "  sl  local_address rem_address\n", "/proc/net/tcp6": "  sl  local_address rem_address\n",
            "/sys/block/mmcblk0/device/type": "SD\n",
            "/sys/block/mmcblk0/stat": "  100 0 800 90 200 0 2000000 80 0 60 170\n",
            "/sys/class/thermal/thermal_zone0/temp": "48312\n",
            "/sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
        ])
        try link("/sys/dev/block/179:2", to: "../../devices/platform/emmc2/block/mmcblk0/mmcblk0p2")
        try link("/proc/700/exe", to: "/usr/bin/mesh-gateway")
        try link("/dev/meshtastic-A1B2C3", to: "ttyACM0")
        service([:])
        programs()
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// What systemd says of the service, where it is not well.
    func service(_ changes: [String: String]) {
        let well = [
            "LoadState": "loaded", "ActiveState": "active", "SubState": "running", "UnitFileState": "enabled",
            "Result": "success", "NRestarts": "0", "StatusText": "serving", "ExecMainStatus": "0",
            "User": "mesh-gateway", "DynamicUser": "no",
            "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
            "RestrictSUIDSGID": "yes", "LockPersonality": "yes", "MemoryDenyWriteExecute": "yes",
        ]
        say("systemctl", well.merging(changes) { $1 }.map { "\($0)=\($1)\n" }.joined())
    }

    /// From now on a program says this.
    func say(_ program: String, _ text: String?) {
        answers[program] = text
        programs()
    }

    private func programs() {
        let answers = answers
        facts.host = Host(root: root, run: { answers[$0[0]] })
    }

    func lay(_ files: [String: String]) throws {
        for (path, text) in files {
            makeFolders(above: path)
            let file = try #require(fopen(root + path, "w"))
            fputs(text, file)
            fclose(file)
        }
    }

    private func makeFolders(above path: String) {
        let folder = (path as NSString).deletingLastPathComponent
        guard folders.insert(folder).inserted else { return }
        if folder != "/" { makeFolders(above: folder) }
        mkdir(root + folder, 0o700)
    }

    func link(_ path: String, to target: String) throws {
        makeFolders(above: path)
        try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: target)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: root + path) }

    func radio(_ change: (inout RadioFacts) -> Void) {
        guard case .known(var radios) = facts.mesh else { return }
        change(&radios[0])
        facts.mesh = .known(radios)
    }

    func port(_ change: (inout PortFacts) -> Void) { change(&facts.ports[0]) }

    /// No daemon, and nobody else at the port.
    func stopDaemon() {
        facts.daemon = .absent
        port { $0.holder = nil }
        radio {
            $0.link = nil
            $0.traffic = nil
        }
    }

    func finding(_ name: String) throws -> Check.Finding {
        try #require(Check.all(on: facts).first { $0.name == name }, "there is no check \(name)").finding(facts)
    }
}
