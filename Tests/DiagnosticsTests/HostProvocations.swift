@testable import Diagnostics

let hostProvocations = databaseProvocations + clockProvocations + diskProvocations + boardProvocations

private let databaseProvocations = [
    Provocation(
        "database", .warning, "no database yet", "mesh-gateway serve",
        {
            $0.stopDaemon()
            $0.facts.database.content = .missing
        }),
    Provocation(
        "database", .warning, "ada may not read", "sudo mesh-gateway doctor",
        {
            $0.stopDaemon()
            $0.facts.database.content = .hidden
        }),
    Provocation("database", .ok, "the daemon's own", nil, { $0.facts.database.content = .hidden }),
    Provocation(
        "database", .fault, "this file is not a database",
        "mesh-gateway serve --database /var/lib/mesh-gateway/mesh.db.new",
        { $0.facts.database.content = .refused("this file is not a database") }),
    Provocation(
        "database-integrity", .fault, "damaged: Tree 5 page 7 cell 0 (and 1 more)",
        "sqlite3 /var/lib/mesh-gateway/mesh.db .recover | sqlite3 /var/lib/mesh-gateway/mesh.db.recovered",
        { $0.facts.database.integrity = { .damaged(["Tree 5 page 7 cell 0", "more"]) } }),
    Provocation(
        "database-integrity", .ok, "12 of 30 tables", nil,
        { $0.facts.database.integrity = { .checked(tables: 12, of: 30) } }),
    Provocation(
        "database-integrity", .skipped, "Only its owner", "sudo mesh-gateway doctor",
        { $0.facts.database.content = .hidden }),
    Provocation(
        "database-size", .warning, "199 MB are in use of 200 MB", "sudoedit /etc/mesh-gateway/mesh-gateway.conf",
        { $0.facts.database.used = 199_000_000 }),
    Provocation(
        "database-size", .fault, "not deleted fast enough", "mesh-gateway status",
        { $0.facts.database.used = 260_000_000 }),
    Provocation("database-size", .ok, "there is no limit", nil, { $0.facts.database.limit = nil }),
    Provocation(
        "database-writes", .fault, "Nothing can be stored for 2 min: disk I/O error", "sudo dmesg | tail -n 50",
        {
            $0.facts.database.failingSince = HealthyBox.now - 2 * HealthyBox.minute
            $0.facts.database.lastError = "disk I/O error"
        }),
    Provocation(
        "database-writes", .warning, "failed 3 h ago", "sudo dmesg | tail -n 50",
        {
            $0.facts.database.lastErrorAt = HealthyBox.now - 3 * HealthyBox.hour
            $0.facts.database.lastError = "disk I/O error"
        }),
    Provocation(
        "database-writes", .warning, "12 reports", "sudo dmesg | tail -n 50", { $0.facts.database.droppedChanges = 12 }),
    Provocation(
        "outbox", .fault, "2 packets wait, the oldest for 2 h, although the radio is connected",
        "mesh-gateway radio reboot",
        {
            $0.radio {
                $0.outbox = 2
                $0.oldestInOutbox = HealthyBox.now - 2 * HealthyBox.hour
            }
        }),
    Provocation(
        "outbox", .warning, "1 packet waits, the oldest for 3 h: the radio is away", "mesh-gateway ports",
        {
            $0.radio {
                $0.link = "lost"
                $0.outbox = 1
                $0.oldestInOutbox = HealthyBox.now - 3 * HealthyBox.hour
            }
        }),
    // It waits for a person or for a node, as it was told to.
    Provocation(
        "outbox", .ok, "1 of them for a key or a node", nil,
        {
            $0.radio {
                $0.outbox = 1
                $0.held = 1
            }
        }),
]

private let clockProvocations = [
    Provocation(
        "host-clock", .fault, "not set", "sudo timedatectl set-ntp true", { $0.facts.now = 1_000_000_000 }),
    Provocation(
        "host-clock", .warning, "No time server", "sudo timedatectl set-ntp true",
        {
            try $0.remove("/run/systemd/timesync/synchronized")
            $0.say("timedatectl", "no\n")
        }),
    Provocation(
        "host-clock", .ok, "chronyd runs", nil,
        {
            try $0.remove("/run/systemd/timesync/synchronized")
            try $0.lay(["/proc/77/comm": "chronyd\n"])
        }),
    Provocation(
        "host-clock", .skipped, "It is not known whether a time server", nil,
        { try $0.remove("/run/systemd/timesync/synchronized") }),
]

private func disk(_ disk: Database.Disk?) -> @Sendable (HealthyBox) -> Void { { $0.facts.database.disk = { disk } } }

private let diskProvocations = [
    Provocation(
        "disk-space", .warning, "150 MB of 30 GB are free", "sudo apt clean && sudo journalctl --vacuum-size=50M",
        disk(.init(free: 150_000_000, size: 30_000_000_000))),
    Provocation(
        "disk-space", .fault, "soon nothing can be stored", "sudo apt clean && sudo journalctl --vacuum-size=50M",
        disk(.init(free: 5_000_000, size: 30_000_000_000))),
    Provocation(
        "disk-space", .fault, "room for 3 more files", "sudo apt clean && sudo journalctl --vacuum-size=50M",
        disk(.init(free: 9_000_000_000, size: 30_000_000_000, freeFiles: 3))),
    Provocation(
        "disk-space", .fault, "mounted read-only", "sudo dmesg | tail -n 50",
        disk(.init(free: 9_000_000_000, size: 30_000_000_000, isReadOnly: true))),
    Provocation("disk-space", .skipped, "could not be looked at", nil, disk(nil)),
    Provocation(
        "disk-wear", .warning, "journal mode delete", "mesh-gateway serve",
        { $0.facts.database.journalMode = "delete" }),
    // 20 GB in four days.
    Provocation(
        "disk-wear", .warning, "were written to the SD card mmcblk0 in 4 d 4 h", "sudo iotop -ao",
        { try $0.lay(["/sys/block/mmcblk0/stat": "1 0 8 9 2 0 60000000 8 0 6 7\n"]) }),
    Provocation(
        "disk-wear", .warning, "worn to 90 %", "lsblk",
        { try $0.lay(["/sys/block/mmcblk0/device/life_time": "0x02 0x09\n"]) }),
    Provocation(
        "disk-wear", .fault, "end of its life", "sudo mesh-gateway doctor --bundle doctor.tar",
        { try $0.lay(["/sys/block/mmcblk0/device/pre_eol_info": "0x03\n"]) }),
    Provocation(
        "disk-wear", .skipped, "not known", nil,
        disk(.init(free: 9_000_000_000, size: 30_000_000_000, device: "0:42"))),
]

private let boardProvocations = [
    Provocation(
        "memory", .warning, "41 MB of 4 GB", "ps aux --sort=-rss | head",
        { try $0.lay(["/proc/meminfo": "MemTotal: 3884112 kB\nMemAvailable: 40000 kB\n"]) }),
    Provocation(
        "memory", .fault, "ends programs soon", "ps aux --sort=-rss | head",
        { try $0.lay(["/proc/meminfo": "MemTotal: 3884112 kB\nMemAvailable: 9000 kB\n"]) }),
    Provocation("memory", .skipped, "does not say", nil, { try $0.lay(["/proc/meminfo": "nothing\n"]) }),
    Provocation(
        "temperature", .warning, "82 °C", "vcgencmd measure_temp",
        { try $0.lay(["/sys/class/thermal/thermal_zone0/temp": "82000\n"]) }),
    Provocation(
        "temperature", .fault, "88 °C", "vcgencmd measure_temp",
        { try $0.lay(["/sys/class/thermal/thermal_zone1/temp": "88000\n"]) }),
    Provocation("temperature", .skipped, "no thermometer", nil, { try $0.remove("/sys/class/thermal") }),
    Provocation(
        "power-supply", .fault, "right now", "vcgencmd get_throttled",
        { try $0.lay(["/sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n"]) }),
    Provocation(
        "power-supply", .warning, "at some time", "vcgencmd get_throttled",
        { try $0.lay(["/sys/devices/platform/soc/soc:firmware/get_throttled": "0x50000\n"]) }),
    Provocation(
        "power-supply", .skipped, "does not watch", nil,
        { try $0.remove("/sys/devices/platform/soc/soc:firmware/get_throttled") }),
]
