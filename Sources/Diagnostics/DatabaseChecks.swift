import Terminal

// What the gateway remembers, and what it still has to send.

let databaseChecks = [
    Check("database", database), Check("database-integrity", databaseIntegrity),
    Check("database-size", databaseSize), Check("database-writes", databaseWrites),
    Check("outbox", ofEachRadio(outbox)),
]

private func database(_ facts: Facts) -> Check.Finding {
    guard let path = facts.database.path else {
        return .skipped("There is no database yet; the first start makes one.", fix: "mesh-gateway serve")
    }
    switch facts.database.content {
    case .open: return .ok("\(path) can be read.")
    case .hidden:
        return facts.daemon.isRunning
            ? .ok("\(path) is the daemon's own.")
            : .warning("\(facts.user.name) may not read \(path).", fix: "sudo mesh-gateway doctor")
    case .missing:
        return .warning("\(path): there is no database yet; the first start makes one.", fix: "mesh-gateway serve")
    case .refused(let reason):
        return .fault("\(reason).", fix: "mesh-gateway serve --database \(shellWord(path + ".new"))")
    }
}

private func databaseIntegrity(_ facts: Facts) -> Check.Finding {
    guard let path = facts.database.path, facts.database.content == .open else {
        let isHidden = facts.database.content == .hidden
        return .skipped(
            isHidden ? "Only its owner may look into the database." : "There is no database to look into.",
            fix: isHidden ? "sudo mesh-gateway doctor" : nil)
    }
    switch facts.database.integrity() {
    case .checked(let tables, let all) where tables == all: return .ok("All \(all) tables are sound.")
    case .checked(let tables, let all):
        return .ok("\(tables) of \(all) tables were looked at in the time that there is, and are sound.")
    case .damaged(let damages):
        return .fault(
            "The database is damaged: \(damages.first ?? "?")"
                + (damages.count > 1 ? " (and \(damages.count - 1) more)." : "."),
            fix: "sqlite3 \(shellWord(path)) .recover | sqlite3 \(shellWord(path + ".recovered"))")
    case .unknown(let reason): return .skipped("The tables could not be looked at: \(reason).")
    }
}

private func databaseSize(_ facts: Facts) -> Check.Finding {
    guard let used = facts.database.used else { return .skipped("The size of the database is not known.") }
    let words = "\(sizeInWords(UInt64(max(0, used)))) are in use"
    guard let limit = facts.database.limit, limit > 0 else { return .ok("\(words), and there is no limit.") }
    let allowed = sizeInWords(UInt64(limit))
    if Double(used) > Double(limit) * 1.1 {
        return .fault(
            "\(words), more than the \(allowed) that are allowed: old rows are not deleted fast enough.",
            fix: "mesh-gateway status")
    }
    if Double(used) > Double(limit) * 0.95 {
        return .warning(
            "\(words) of \(allowed): the oldest is being deleted. The setting database-size allows more.",
            fix: "sudoedit \(shellWord(facts.settings.file))")
    }
    return .ok("\(words) of \(allowed).")
}

private func databaseWrites(_ facts: Facts) -> Check.Finding {
    let database = facts.database
    let look = "sudo dmesg | tail -n 50"
    if let since = database.failingSince {
        return .fault(
            "Nothing can be stored for \(durationInWords(milliseconds: facts.now - since)): \(database.lastError ?? "?").",
            fix: look)
    }
    guard facts.daemon.isRunning else { return .skipped("Only a running daemon writes.") }
    if let dropped = database.droppedChanges, dropped > 0 {
        return .warning("\(dropped) reports of nodes could not be stored in time and are lost.", fix: look)
    }
    if let at = database.lastErrorAt, facts.now - at < 86_400_000 {
        return .warning(
            "The disk is well now, but failed \(durationInWords(milliseconds: facts.now - at)) ago: "
                + "\(database.lastError ?? "?").", fix: look)
    }
    return .ok("Everything could be stored.")
}

private func outbox(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard radio.outbox > 0 else { return .ok("Nothing waits to be sent.") }
    let held = radio.held > 0 ? ", \(radio.held) of them for a key or a node" : ""
    let words = "\(plural(radio.outbox, "packet")) \(radio.outbox == 1 ? "waits" : "wait")\(held)"
    guard let oldest = radio.oldestInOutbox else { return .ok(words + ".") }
    let age = facts.now - oldest
    // Half an hour is more than pacing and attempts take.
    guard age > 1_800_000 else { return .ok(words + ".") }
    let since = "the oldest for \(durationInWords(milliseconds: age))"
    guard radio.isLive else { return .warning("\(words), \(since): the radio is away.", fix: "mesh-gateway ports") }
    return .fault("\(words), \(since), although the radio is connected.", fix: "mesh-gateway radio reboot")
}
