import MeshModel
import Terminal

// The gateway itself: its settings, its process, its service, its port, its tokens.

let gatewayChecks = [
    Check("configuration", configuration), Check("daemon", daemon), Check("daemon-version", daemonVersion),
    Check("executable", executable), Check("service", service), Check("service-hardening", serviceHardening),
    Check("http-port", httpPort),
    Check("tokens", tokens), Check("update", update),
]

private func configuration(_ facts: Facts) -> Check.Finding {
    if let mistake = facts.settings.mistake {
        return .fault("\(mistake).", fix: "sudoedit \(shellWord(facts.settings.file))")
    }
    if let closed = facts.settings.closedToService {
        return .fault(
            "The service's user mesh-gateway may not read \(closed): the service will not start.",
            fix: "sudo chmod a+rX \(shellWord(closed))")
    }
    if let mistake = facts.settings.ruleMistakes.first {
        return .warning(
            "\(Problem.Kind.ruleBroken): \(mistake)" + (mistake.hasSuffix("?") ? "" : "."),
            fix: "mesh-gateway rule list")
    }
    if let mistake = facts.settings.targetMistakes.first {
        return .warning(
            "\(Problem.Kind.targetBroken): \(mistake)" + (mistake.hasSuffix("?") ? "" : "."),
            fix: "mesh-gateway target list")
    }
    if let mistake = facts.settings.brokerMistakes.first {
        return .warning(
            "\(Problem.Kind.brokerBroken): \(mistake)" + (mistake.hasSuffix("?") ? "" : "."),
            fix: "mesh-gateway mqtt status")
    }
    let isThere = facts.host.exists(facts.settings.file)
    return .ok(isThere ? "\(facts.settings.file) can be read." : "There is no configuration file, and none is needed.")
}

private func daemon(_ facts: Facts) -> Check.Finding {
    switch facts.daemon {
    case .running(let version, let process, let uptime, _):
        return .ok(
            "It runs: version \(version), process \(process), for \(durationInWords(milliseconds: uptime * 1000)).")
    case .absent:
        let isService = facts.host.exists("/run/systemd/system") && isInstalled(facts)
        return .warning(
            "No daemon is running: nothing is received, and clients get no answer.",
            fix: isService ? "sudo systemctl start mesh-gateway" : "mesh-gateway serve")
    case .closed(let path):
        return .warning(
            "A daemon runs, but \(path) is not for \(facts.user.name): less can be seen than its user sees.",
            fix: "sudo mesh-gateway doctor")
    case .silent(let reason):
        return .fault("The daemon does not answer: \(reason).", fix: "sudo systemctl restart mesh-gateway")
    }
}

private func daemonVersion(_ facts: Facts) -> Check.Finding {
    guard case .running(let version, let process, _, _) = facts.daemon else {
        return .skipped("No daemon to ask for its version.")
    }
    if version == facts.version { return .ok("The daemon and this command are of version \(version).") }
    return .warning(
        "The daemon (process \(process)) is of version \(version), this command of \(facts.version): it was started "
            + "before an update, or there are two installations.", fix: "sudo systemctl restart mesh-gateway")
}

/// One by hand and one of a package, or one that was replaced while it ran: a person looks at the wrong one.
private func executable(_ facts: Facts) -> Check.Finding {
    let found = facts.executables.found
    var inUse: String?
    if case .running(_, let process, _, _) = facts.daemon, let runs = facts.host.executable(of: process) {
        let restart = "sudo systemctl restart mesh-gateway"
        if runs.hasSuffix(" (deleted)") {
            return .warning(
                "The daemon (process \(process)) still runs a file that was replaced on the disk.", fix: restart)
        }
        if let own = facts.executables.own, runs != own {
            let byHand = [own, runs].first { $0 != packaged } ?? own
            return .warning(
                "The daemon (process \(process)) runs \(runs), this command is \(own).",
                fix: [own, runs].contains(packaged) ? "sudo rm \(shellWord(byHand)) && \(restart)" : restart)
        }
        inUse = runs
    }
    // The one that runs is never the one to be removed.
    if let inUse, inUse != packaged, found.contains(packaged) {
        return .warning(
            "The daemon runs \(inUse), not the package's \(packaged).",
            fix: "systemctl cat mesh-gateway")
    }
    if found.count > 1, found.contains(packaged), let first = found.first(where: { $0 != packaged }) {
        let isHiding = found[0] != packaged
        return .warning(
            isHiding
                ? "\(first) hides the package's \(packaged): what is typed is not what the service runs."
                : "There is \(first) beside the package's \(packaged).", fix: "sudo rm \(shellWord(first))")
    }
    if found.count > 1 {
        let other = found.last { $0 != inUse } ?? found[1]
        return .warning("There are several: \(found.joined(separator: ", ")).", fix: "sudo rm \(shellWord(other))")
    }
    return .ok("There is one: \(facts.executables.own ?? found.first ?? "?").")
}

private let packaged = "/usr/bin/mesh-gateway"

// MARK: systemd

private func isInstalled(_ facts: Facts) -> Bool { unit(facts, ["LoadState"])?["LoadState"] == "loaded" }

/// `systemctl show`: nil without an answer.
private func unit(_ facts: Facts, _ properties: [String]) -> [String: String]? {
    let words = ["systemctl", "show", "mesh-gateway.service", "--property=" + properties.joined(separator: ",")]
    guard let output = facts.host.run(words) else { return nil }
    var values: [String: String] = [:]
    for line in output.split(separator: "\n") {
        guard let sign = line.firstIndex(of: "=") else { continue }
        values[String(line[..<sign])] = String(line[line.index(after: sign)...])
    }
    return values
}

private func service(_ facts: Facts) -> Check.Finding {
    guard facts.host.exists("/run/systemd/system") else { return .skipped("This computer is not run by systemd.") }
    let properties = [
        "LoadState", "ActiveState", "SubState", "UnitFileState", "Result", "NRestarts", "StatusText", "ExecMainStatus",
        "FragmentPath",
    ]
    guard let unit = unit(facts, properties) else { return .skipped("systemctl gives no answer.") }
    guard unit["LoadState"] != "not-found" else {
        return .skipped("There is no service mesh-gateway: the daemon does not start with the computer.")
    }
    let state = unit["ActiveState"] ?? "?"
    if state == "failed" || unit["SubState"] == "auto-restart" {
        return failed(unit)
    }
    guard state == "active" else {
        return .warning("The service is \(state).", fix: "sudo systemctl enable --now mesh-gateway")
    }
    if let path = unit["FragmentPath"], path.hasPrefix("/etc/") || path.hasPrefix("/usr/local/"),
        facts.host.exists("/lib/systemd/system/mesh-gateway.service")
    {
        return .warning(
            "\(path) takes the place of the package's unit.",
            fix: "sudo rm \(shellWord(path)) && sudo systemctl daemon-reload && sudo systemctl restart mesh-gateway")
    }
    guard let enabled = unit["UnitFileState"], enabled.hasPrefix("enabled") || enabled == "static" else {
        return .warning(
            "The service runs, but will not start with the computer.", fix: "sudo systemctl enable mesh-gateway")
    }
    if let restarts = unit["NRestarts"].flatMap({ Int($0) }), restarts >= 3 {
        return .warning(
            "The service was restarted \(restarts) times after it had failed.", fix: "journalctl -u mesh-gateway -n 50")
    }
    return .ok("The service runs and starts with the computer.")
}

/// systemd's own exit codes, when the program was not even reached (systemd.exec(5)): why, and what to type.
private let beforeTheStart: [String: (String, String)] = [
    "203": ("its program is not there, or is not for this computer", "sudo apt install --reinstall mesh-gateway"),
    "216": ("the group mesh-gateway or dialout is not there", "sudo systemd-sysusers && sudo groupadd -rf dialout"),
    "217": ("the user mesh-gateway is not there", "sudo systemd-sysusers"),
    "226": ("it could not be shut in as its unit says", "systemctl cat mesh-gateway"),
    "233": ("/run/mesh-gateway cannot be made", "ls -ld /run/mesh-gateway"),
    "238": ("/var/lib/mesh-gateway cannot be made or given to it; is the disk read-only?", "findmnt --target /var/lib"),
    "241": ("/etc/mesh-gateway cannot be made; is the disk read-only?", "findmnt --target /etc"),
]

/// The daemon's last words are in its status, which is what it could not do and what to type.
private func failed(_ unit: [String: String]) -> Check.Finding {
    let status = unit["ExecMainStatus"] ?? "0"
    let how = (unit["Result"] ?? "?") + (status == "0" ? "" : ", exit code \(status)")
    if let (words, fix) = beforeTheStart[status] {
        return .fault("systemd could not start the service (\(how)): \(words).", fix: fix)
    }
    let words = unit["StatusText"] ?? ""
    // EX_CONFIG: it is not started again before somebody has mended the configuration.
    let fix = status == "78" ? "sudo mesh-gateway config check" : "journalctl -u mesh-gateway -n 50"
    guard !words.isEmpty else { return .fault("The service has failed (\(how)); its log says why.", fix: fix) }
    return .fault("The service has failed (\(how)): \(words)" + (words.hasSuffix(".") ? "" : "."), fix: fix)
}

/// What a daemon that reads a radio and writes one folder can do without (systemd.exec(5)).
private func serviceHardening(_ facts: Facts) -> Check.Finding {
    guard facts.host.exists("/run/systemd/system") else { return .skipped("This computer is not run by systemd.") }
    let properties = [
        "LoadState", "User", "DynamicUser", "NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp",
        "RestrictSUIDSGID", "LockPersonality", "MemoryDenyWriteExecute",
    ]
    guard let unit = unit(facts, properties) else { return .skipped("systemctl gives no answer.") }
    guard unit["LoadState"] == "loaded" else { return .skipped("There is no service mesh-gateway.") }
    let user = unit["User"] ?? ""
    if user.isEmpty || user == "root", unit["DynamicUser"] != "yes" {
        return .fault(
            "The service runs as root: a mistake in it would be the whole computer's.",
            fix: "sudo systemctl edit mesh-gateway")
    }
    let lacking = properties[3...].filter { property in
        let value = unit[property] ?? "no"
        return value == "no" || value.isEmpty
    }
    if lacking.isEmpty { return .ok("The service runs as \(user) and is shut in.") }
    return .warning(
        "The service could be shut in further: \(lacking.joined(separator: ", ")).",
        fix: "sudo systemctl edit mesh-gateway")
}

// MARK: the network and its clients

private func httpPort(_ facts: Facts) -> Check.Finding {
    if case .running(_, _, _, let listeners) = facts.daemon {
        return .ok("The daemon listens on \(listeners.joined(separator: ", ")).")
    }
    guard !facts.settings.ports.isEmpty else { return .skipped("No fixed port is configured.") }
    for port in facts.settings.ports {
        let other = listeningElsewhere("*:\(port < 65535 ? port + 1 : port - 1)", facts)
        switch facts.host.listener(onTCPPort: port) {
        case .nobody: continue
        case .process(let process) where process.name == "mesh-gateway":
            return .warning(
                "Port \(port) belongs to another mesh-gateway (process \(process.id)), which has another socket.",
                fix: "mesh-gateway status --socket PATH")
        case .process(let process):
            return .fault("Port \(port) is taken by \(process.name) (process \(process.id)).", fix: other)
        case .somebody:
            guard case .closed = facts.daemon else {
                return .fault(
                    "Port \(port) is taken by a process of another user; root can see which.",
                    fix: "sudo mesh-gateway doctor")
            }
            return .ok("Port \(port) is taken, as it should be while a daemon runs.")
        }
    }
    let list = facts.settings.ports.map { "\($0)" }.joined(separator: ", ")
    return .ok("Port \(list) is free.")
}

private func listeningElsewhere(_ address: String, _ facts: Facts) -> String {
    guard facts.host.exists("/run/systemd/system"), unit(facts, ["LoadState"])?["LoadState"] == "loaded" else {
        return "mesh-gateway serve --listen '\(address)'"
    }
    return "echo 'listen = \(address)' | sudo tee /etc/mesh-gateway/mesh-gateway.conf.d/port.conf && "
        + "sudo systemctl restart mesh-gateway"
}

private func tokens(_ facts: Facts) -> Check.Finding {
    guard let tokens = facts.database.tokens else { return .skipped("The tokens could not be looked at.") }
    let create = "mesh-gateway token create phone"
    guard tokens.active > 0 else {
        return tokens.expired > 0
            ? .fault("All tokens have expired: no client gets an answer.", fix: create)
            : .warning("There is no token yet: no client can ask for anything.", fix: create)
    }
    if let at = tokens.nextExpiry, at - facts.now < 7 * 86_400_000 {
        let name = tokens.nextName ?? "?"
        return .warning(
            "The token \(name) expires in \(durationInWords(milliseconds: at - facts.now)).",
            fix: "mesh-gateway token create \(shellWord(name + "-2"))")
    }
    return .ok(plural(tokens.active, "token") + (tokens.expired > 0 ? ", \(tokens.expired) more expired." : "."))
}

private func update(_ facts: Facts) -> Check.Finding {
    switch facts.newest {
    case nil: return .skipped("Nothing is looked up unless --updates FILE names a file with the newest version.")
    case .unreadable(let reason): return .skipped("The newest version could not be read: \(reason).")
    case .version(let newest):
        guard let there = Version(newest), let here = Version(facts.version) else {
            return .skipped("\"\(newest.prefix(20))\" is no version.")
        }
        if there <= here { return .ok("Version \(facts.version) is the newest.") }
        return .warning(
            "Version \(newest) is available; this one is \(facts.version).",
            fix: "sudo apt update && sudo apt install mesh-gateway")
    }
}
