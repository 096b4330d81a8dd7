import Platform
import Terminal

// The computer: its clock, its disk, its memory, its power.

let hostChecks = [
    Check("host-clock", hostClock), Check("disk-space", diskSpace), Check("disk-wear", diskWear),
    Check("memory", memory), Check("temperature", temperature), Check("power-supply", powerSupply),
]

private func hostClock(_ facts: Facts) -> Check.Finding {
    let fix = "sudo timedatectl set-ntp true"
    // 2025-01-01: before that, this program did not exist.
    guard facts.now >= 1_735_689_600_000 else {
        return .fault(
            "This computer's clock is not set: times are wrong, and the radio's clock is left alone.", fix: fix)
    }
    if facts.host.exists("/run/systemd/timesync/synchronized") { return .ok("The clock follows NTP.") }
    // The kernel's own word (adjtimex(2)), whichever program corrects it.
    switch facts.host.run(["timedatectl", "show", "--property=NTPSynchronized", "--value"])?.first {
    case "y": return .ok("The clock follows a time server.")
    case "n":
        return .warning(
            "No time server sets this computer's clock: it drifts, and is wrong after a power cut.", fix: fix)
    default:
        let followers = facts.host.processes(named: ["chronyd", "ntpd", "ntpsec"])
        guard let follower = followers.first else {
            return .skipped("It is not known whether a time server sets the clock.")
        }
        return .ok("The clock is set, and \(follower.name) runs to keep it right.")
    }
}

private func diskSpace(_ facts: Facts) -> Check.Finding {
    guard let disk = facts.database.disk() else { return .skipped("The disk of the database could not be looked at.") }
    let fix = "sudo apt clean && sudo journalctl --vacuum-size=50M"
    if disk.isReadOnly {
        return .fault(
            "The disk is mounted read-only, as the kernel does with a damaged one.", fix: "sudo dmesg | tail -n 50")
    }
    let words = "\(sizeInWords(disk.free)) of \(sizeInWords(disk.size)) are free"
    if disk.free < 20_000_000 { return .fault("\(words): soon nothing can be stored.", fix: fix) }
    if disk.files > 0, disk.freeFiles < 100 {
        return .fault("There is room for \(disk.freeFiles) more files only (df -i).", fix: fix)
    }
    if disk.free < 200_000_000 { return .warning("\(words).", fix: fix) }
    return .ok(words + ".")
}

/// What an SD card or an eMMC is for: a few terabytes written in its life.
private func diskWear(_ facts: Facts) -> Check.Finding {
    guard let disk = facts.database.disk(), let name = blockDevice(disk, facts.host) else {
        return .skipped("The device behind the database is not known.")
    }
    let folder = "/sys/block/\(name)"
    let type = facts.host.text("\(folder)/device/type")
    let kind = type == "SD" ? "SD card" : type == "MMC" ? "eMMC" : "disk"
    if let finding = lifeTime(of: name, folder, facts.host) { return finding }
    // The seventh number is sectors of 512 bytes written since the start (Documentation/block/stat.rst).
    let numbers = facts.host.text("\(folder)/stat")?.split(separator: " ") ?? []
    let uptime = facts.host.text("/proc/uptime")?.split(separator: ".").first.flatMap { UInt64($0) }
    guard numbers.count > 6, let sectors = UInt64(numbers[6]), let uptime, uptime > 0 else {
        return .skipped("\(name) does not say how much was written to it.")
    }
    let written = sectors.multipliedReportingOverflow(by: 512).partialValue
    let words =
        "\(sizeInWords(written)) were written to the \(kind) \(name) in \(durationInWords(milliseconds: Int64(uptime) * 1000))"
    if kind != "disk", let mode = facts.database.journalMode, mode != "wal" {
        return .warning(
            "The database on an \(kind) is in journal mode \(mode), which writes each change twice.",
            fix: "mesh-gateway serve")
    }
    // A day's worth, after an hour at least: the start itself writes much.
    if kind != "disk", uptime > 3600, Double(written) / Double(uptime) * 86_400 > 5e9 {
        return .warning("\(words): that wears an \(kind) out within a few years.", fix: "sudo iotop -ao")
    }
    return .ok(words + ".")
}

/// What the device itself says (JESD84-B51: life time in tenths, 0x0B is beyond the end; PRE_EOL_INFO 2 and 3).
private func lifeTime(of name: String, _ folder: String, _ host: Host) -> Check.Finding? {
    func hexadecimal(_ text: Substring) -> Int? { Int(text.hasPrefix("0x") ? text.dropFirst(2) : text, radix: 16) }
    let life = host.text("\(folder)/device/life_time")?.split(separator: " ").compactMap(hexadecimal).max() ?? 0
    let end = host.text("\(folder)/device/pre_eol_info").flatMap { hexadecimal($0[...]) } ?? 0
    if life >= 11 || end == 3 {
        return .fault(
            "\(name) is at the end of its life: it can fail at any time.",
            fix: "sudo mesh-gateway doctor --bundle doctor.tar")
    }
    if life >= 9 || end == 2 {
        return .warning("\(name) is worn to \(min(life * 10, 100)) %: have another one ready.", fix: "lsblk")
    }
    return nil
}

/// The name below /sys/block of the whole device that a file system is on.
private func blockDevice(_ disk: Database.Disk, _ host: Host) -> String? {
    // ../../devices/platform/…/block/mmcblk0/mmcblk0p2
    guard let device = disk.device, let target = host.target(of: "/sys/dev/block/\(device)") else { return nil }
    let parts = target.split(separator: "/")
    guard let last = parts.last else { return nil }
    if host.exists("/sys/block/\(last)") { return String(last) }
    let above = parts.dropLast().last
    return above.flatMap { host.exists("/sys/block/\($0)") ? String($0) : nil }
}

private func memory(_ facts: Facts) -> Check.Finding {
    var kilobytes: [Substring: UInt64] = [:]
    for line in facts.host.lines("/proc/meminfo") {
        let words = line.split(separator: " ")
        if words.count >= 2 { kilobytes[words[0].dropLast()] = UInt64(words[1]) }
    }
    guard let total = kilobytes["MemTotal"], let available = kilobytes["MemAvailable"], total > 0 else {
        return .skipped("The kernel does not say how much memory there is.")
    }
    let words = "\(sizeInWords(available * 1024)) of \(sizeInWords(total * 1024)) of memory are available"
    let fix = "ps aux --sort=-rss | head"
    if available < 16_384 { return .fault("\(words): the kernel ends programs soon.", fix: fix) }
    if available < 65_536 || available < total / 20 { return .warning("\(words).", fix: fix) }
    return .ok(words + ".")
}

private func temperature(_ facts: Facts) -> Check.Finding {
    let folder = "/sys/class/thermal"
    let zones = facts.host.names(in: folder).filter { $0.hasPrefix("thermal_zone") }
    let degrees = zones.compactMap { facts.host.number("\(folder)/\($0)/temp") }.filter { (1...200_000).contains($0) }
    guard let hottest = degrees.max().map({ $0 / 1000 }) else { return .skipped("This computer has no thermometer.") }
    // A Raspberry Pi slows down from 80 °C on, and more at 85.
    let fix = "vcgencmd measure_temp"
    if hottest >= 85 { return .fault("It is \(hottest) °C hot inside and slowed down.", fix: fix) }
    if hottest >= 80 { return .warning("It is \(hottest) °C hot inside: give it air.", fix: fix) }
    return .ok("It is \(hottest) °C inside.")
}

/// A Raspberry Pi's firmware counts what its power supply does (bit 0 and 16: too low now, and since the start).
private func powerSupply(_ facts: Facts) -> Check.Finding {
    let places = [
        "/sys/devices/platform/soc/soc:firmware/get_throttled",
        "/sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled",
    ]
    guard let text = places.compactMap({ facts.host.text($0) }).first else {
        return .skipped("This computer does not watch its power supply.")
    }
    guard let bits = UInt32(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16) else {
        return .skipped("\"\(text.prefix(20))\" says nothing of the power supply.")
    }
    let fix = "vcgencmd get_throttled"
    if bits & 1 != 0 {
        return .fault(
            "The power supply is too weak right now: radio and card can fail. Use the original one.", fix: fix)
    }
    if bits & 1 << 16 != 0 {
        return .warning("The power supply was too weak at some time since the start.", fix: fix)
    }
    return .ok("The power supply was never too weak since the start.")
}
