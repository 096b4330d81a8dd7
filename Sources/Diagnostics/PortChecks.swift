// The way to the radio: the serial port, its name, who may use it and who does.

import Platform

let portChecks = [
    Check("radio-port", radioPort), Check("stable-port-name", stablePortName),
    Check("udev-rules", udevRules), Check("port-permission", portPermission),
    Check("daemon-permission", daemonPermission), Check("port-holder", portHolder), Check("port-probers", portProbers),
]

/// The ports that the settings mean; nil when they mean none on this computer, but a radio in the network or a simulated
/// one.
private func wantedPorts(_ facts: Facts) -> [PortFacts]? {
    let paths = facts.settings.devices.filter { $0.hasPrefix("/") }
    let isAutomatic = facts.settings.devices.contains("auto")
    guard isAutomatic || !paths.isEmpty else { return nil }
    return facts.ports.filter { port in
        paths.contains(port.path) || port.stablePath.map { paths.contains($0) } ?? false
            || isAutomatic && port.kind == .radio
    }
}

private let notSerial = Check.Finding.skipped("The configured radio is not on a serial port.")
private let noPort = Check.Finding.skipped("There is no port to look at.")

private func radioPort(_ facts: Facts) -> Check.Finding {
    guard let wanted = wantedPorts(facts) else { return notSerial }
    for path in facts.settings.devices where path.hasPrefix("/") {
        if facts.ports.contains(where: { $0.path == path || $0.stablePath == path }) || facts.host.exists(path) {
            continue
        }
        return .fault(
            "There is no \(path): the radio is not plugged in, or has another name now.", fix: "mesh-gateway ports")
    }
    guard facts.settings.devices.contains("auto") else {
        return .ok("\(facts.settings.devices.filter { $0.hasPrefix("/") }.joined(separator: ", ")) is there.")
    }
    let radios = wanted.filter { $0.kind == .radio }
    if let bridge = facts.ports.first(where: { $0.kind == .bridge }), radios.isEmpty {
        return .fault(
            "No known radio is plugged in. One may be behind \(bridge.path) (\(bridge.label)), which is opened only "
                + "when named.", fix: "mesh-gateway serve --device \(shellWord(bridge.stablePath ?? bridge.path))")
    }
    if radios.isEmpty {
        return .fault(
            "No radio is plugged in. Many USB cables carry power only: try another one.", fix: "mesh-gateway ports")
    }
    if radios.count > 1, facts.settings.devices == ["auto"] {
        let options = radios.map { "--device " + shellWord($0.stablePath ?? $0.path) }.joined(separator: " ")
        return .fault(
            "\(radios.count) radios are plugged in, and none is taken before it is named.",
            fix: "mesh-gateway serve \(options)")
    }
    return .ok(radios.map { "\($0.path) (\($0.label))" }.joined(separator: ", ") + " is there.")
}

private func stablePortName(_ facts: Facts) -> Check.Finding {
    guard let wanted = wantedPorts(facts) else { return notSerial }
    guard !wanted.isEmpty else { return noPort }
    for port in wanted {
        guard let stable = port.stablePath else {
            return .warning(
                "\(port.path) has no link below /dev/serial/by-id: under which name it comes back is left to chance.",
                fix: "sudo udevadm trigger --subsystem-match=tty")
        }
        if facts.settings.devices.contains(port.path), port.path != stable {
            return .warning(
                "\(port.path) can be another device after the next start; \(stable) stays.",
                fix: "mesh-gateway serve --device \(shellWord(stable))")
        }
    }
    return .ok(wanted.compactMap(\.stablePath).joined(separator: ", ") + " stays the same.")
}

/// The rules name each radio after its serial number, and keep programs away that try ports out.
private func udevRules(_ facts: Facts) -> Check.Finding {
    guard facts.host.exists("/run/udev") else { return .skipped("This computer has no udev.") }
    let folders = ["/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"]
    guard folders.contains(where: { facts.host.exists("\($0)/70-mesh-gateway.rules") }) else {
        guard facts.executables.own == "/usr/bin/mesh-gateway" else {
            return .skipped("The rules of the package are not installed; without them ports have no name of their own.")
        }
        return .warning(
            "The package's udev rules are missing: radios have no name of their own, and other programs open them.",
            fix: "sudo apt install --reinstall mesh-gateway")
    }
    let links = facts.host.names(in: "/dev").filter { $0.hasPrefix("meshtastic-") }
    let named = Set(
        links.compactMap { facts.host.target(of: "/dev/\($0)")?.split(separator: "/").last.map(String.init) })
    let radios = wantedPorts(facts)?.filter { $0.kind == .radio } ?? []
    for radio in radios where !named.contains(String(radio.path.split(separator: "/").last ?? "")) {
        return .warning(
            "\(radio.path) was there before the udev rules: it has no link /dev/meshtastic-… yet.",
            fix: "sudo udevadm trigger --action=add --subsystem-match=tty")
    }
    return .ok(
        radios.isEmpty ? "The udev rules are there." : "\(plural(radios.count, "radio")) with a name of its own.")
}

/// The daemon's own groups, as the kernel has them: a user who was added to a group gets it at the next start.
private func daemonPermission(_ facts: Facts) -> Check.Finding {
    guard let wanted = wantedPorts(facts) else { return notSerial }
    guard case .running(_, let process, _, _) = facts.daemon else { return .skipped("No daemon runs.") }
    guard !wanted.isEmpty else { return noPort }
    var fields: [Substring: [UInt32]] = [:]
    for line in facts.host.lines("/proc/\(process)/status") {
        guard let colon = line.firstIndex(of: ":") else { continue }
        let numbers = line[line.index(after: colon)...].split { $0 == " " || $0 == "\t" }
        fields[line[..<colon]] = numbers.compactMap { UInt32($0) }
    }
    // Real, effective, saved and file system's (proc(5)).
    guard let users = fields["Uid"], let groups = fields["Gid"], users.count == 4, groups.count == 4 else {
        return .skipped("The kernel does not say as which user the daemon runs.")
    }
    guard users[1] != 0 else { return .ok("The daemon runs as root.") }
    let held = Set([groups[1]] + (fields["Groups"] ?? []))
    let user = facts.host.userName(users[1])
    for port in wanted {
        guard let group = port.group, !held.contains(group) else { continue }
        // It may have been let in by name, as a person at the screen is (uaccess).
        if case .known(let radios) = facts.mesh, !radios.isEmpty, radios.allSatisfy(\.isLive) { continue }
        let name = port.groupName ?? "\(group)"
        return .fault(
            "The daemon runs as \(user), who is not in the group \(name) that \(port.path) belongs to."
                + (facts.host.unit(of: process) == "mesh-gateway" ? "" : " It counts after a new login."),
            fix: "sudo usermod -aG \(shellWord(name)) \(shellWord(user))"
                + (facts.host.unit(of: process) == "mesh-gateway" ? " && sudo systemctl restart mesh-gateway" : ""))
    }
    return .ok("The daemon, \(user), may open \(wanted.map(\.path).joined(separator: ", ")).")
}

private func portPermission(_ facts: Facts) -> Check.Finding {
    guard let wanted = wantedPorts(facts) else { return notSerial }
    guard !wanted.isEmpty else { return noPort }
    let user = facts.user
    for port in wanted where !port.isPermitted {
        // It is the daemon's user who needs the permission, and has it.
        if case .known(let radios) = facts.mesh, radios.contains(where: \.isLive) { continue }
        let name = port.groupName ?? port.group.map { "\($0)" } ?? "?"
        if let group = port.group, user.groupsAfterLogin.contains(group), !user.groups.contains(group) {
            return .fault(
                "\(user.name) was added to the group \(name), but has not logged in again since.",
                fix: "newgrp \(shellWord(name))")
        }
        return .fault(
            "\(user.name) may not open \(port.path): it belongs to the group \(name). It counts from the next login on.",
            fix: "sudo usermod -aG \(shellWord(name)) \(shellWord(user.name))")
    }
    return .ok(
        wanted.allSatisfy(\.isPermitted)
            ? "\(user.name) may open \(wanted.map(\.path).joined(separator: ", "))."
            : "The daemon may open \(wanted.map(\.path).joined(separator: ", ")).")
}

private func portHolder(_ facts: Facts) -> Check.Finding {
    guard let wanted = wantedPorts(facts) else { return notSerial }
    guard !wanted.isEmpty else { return noPort }
    for port in wanted {
        guard let holder = port.holder else { continue }
        if case .running(_, holder.id, _, _) = facts.daemon { continue }
        if holder.name == "mesh-gateway", facts.daemon != .absent { continue }
        let fix =
            switch holder.name {
            case "ModemManager": "sudo systemctl disable --now ModemManager"
            case "brltty": "sudo apt remove brltty"
            default: facts.host.commandToStop(holder.id)
            }
        return .fault(
            "\(port.path) is in use by \(holder.name) (process \(holder.id)): two programs on one port get half of "
                + "the bytes each.", fix: fix)
    }
    if facts.user.isRoot || wanted.contains(where: { $0.holder != nil }) {
        return .ok("No other program has the port open.")
    }
    return .ok("No other program has the port open, as far as \(facts.user.name) can see.")
}

/// ModemManager writes modem commands to every new port, brltty takes ports of the chips that Braille displays have too.
private func portProbers(_ facts: Facts) -> Check.Finding {
    guard let wanted = wantedPorts(facts) else { return notSerial }
    let running = facts.host.processes(named: ["ModemManager", "brltty"])
    if let brltty = running.first(where: { $0.name == "brltty" }) {
        return .warning(
            "brltty (process \(brltty.id)) runs: for a Braille display, if there is one, it takes ports of many USB bridges.",
            fix: "sudo apt remove brltty")
    }
    guard let manager = running.first else { return .ok("Neither ModemManager nor brltty runs.") }
    // Some rules of udev can tell ModemManager which ports are none of its business (its ID_MM_DEVICE_IGNORE).
    let isIgnored = { (port: PortFacts) in
        port.device.map {
            facts.host.lines("/run/udev/data/c\($0)").contains("E:ID_MM_DEVICE_IGNORE=1")
        } ?? false
    }
    if !wanted.isEmpty, wanted.allSatisfy(isIgnored) { return .ok("ModemManager runs, but leaves the radio alone.") }
    return .warning(
        "ModemManager (process \(manager.id)) runs and writes to ports that could be modems when they are plugged in.",
        fix: "sudo systemctl disable --now ModemManager")
}
