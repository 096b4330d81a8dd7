import MeshModel
import Terminal

// The radio: whether it answers, and what it says of itself.

let radioChecks = [
    Check("radio-link", ofEachRadio(radioLink)), Check("radio-silence", ofEachRadio(radioSilence)),
    Check("radio-restarts", ofEachRadio(radioRestarts)), Check("firmware", ofEachRadio(firmware)),
    Check("region", ofEachRadio(region)), Check("transmitter", ofEachRadio(transmitter)),
    Check("radio-clock", ofEachRadio(radioClock)), Check("store-and-forward", ofEachRadio(storeAndForward)),
]

/// Asks about every radio; what counts is the worst answer.
func ofEachRadio(
    _ find: @escaping @Sendable (RadioFacts, Facts) -> Check.Finding
) -> @Sendable (Facts) -> Check.Finding {
    { facts in
        switch facts.mesh {
        case .unknown(let reason): return .skipped("Not known: \(reason).")
        case .known(let radios): return .worst(radios.map { find($0, facts) }, names: radios.map { $0.device ?? "?" })
        }
    }
}

private let noDaemon = Check.Finding.skipped(
    "Without a daemon nothing is read from the radio.", fix: "mesh-gateway serve")

/// These have a check of their own.
private let problemsApart: Set<Problem.Kind?> = [
    .regionUnset, .keepsRestarting, .packetsWithheld, .notResponding, .hostClockUnset,
]

private func radioLink(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let link = radio.link else { return noDaemon }
    let age = radio.since.map { " for \(durationInWords(milliseconds: facts.now - $0))" } ?? ""
    let problem = radio.problems.first { !problemsApart.contains($0.kind) }
    switch link {
    case "live":
        guard let problem else { return .ok("The radio \(radio.nodeID.map { "\($0) " } ?? "")is connected\(age).") }
        return .warning("\(problem.name): \(problem.advice)", fix: fix(problem))
    case "opening", "configuring":
        return .warning("The radio is \(link)\(age): its settings are still to come.", fix: "mesh-gateway status")
    default:
        guard let problem = problem ?? radio.problems.first else {
            return .fault("The link to the radio is \(link)\(age).", fix: "mesh-gateway status")
        }
        return .fault("\(problem.name)\(age): \(problem.advice)", fix: fix(problem))
    }
}

private func fix(_ problem: Problem) -> String {
    switch problem.kind {
    case .factoryReset: "mesh-gateway radio config set lora.region=EU_868"
    case .handshakeIncomplete: "mesh-gateway radio config set security.debug_log_api_enabled=true"
    case .noRadio, .deviceAbsent, .severalRadios, .wrongDevice, .permissionDenied, .portBusy, .notASerialPort,
        .unplugged, .sameRadio:
        "mesh-gateway ports"
    default: "mesh-gateway status"
    }
}

private func radioSilence(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    if let problem = radio.has(.packetsWithheld) ?? radio.has(.notResponding) {
        return .fault("\(problem.name): \(problem.advice)", fix: "mesh-gateway radio reboot")
    }
    guard radio.link != nil else { return noDaemon }
    guard radio.isLive, let since = radio.since else { return .skipped("The radio is not connected.") }
    let silent = facts.now - max(radio.lastPacket ?? 0, since)
    let last = radio.lastPacket.map { "the last packet came \(durationInWords(milliseconds: facts.now - $0)) ago" }
    guard silent > 3_600_000 else { return .ok(last.map { "\($0.capitalizedFirst)." } ?? "No packet has come yet.") }
    return .warning(
        "Nothing was heard from the mesh for \(durationInWords(milliseconds: silent)). Is the antenna on, and is the "
            + "channel the one of the others?", fix: "mesh-gateway channels")
}

private func radioRestarts(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard radio.link != nil else { return noDaemon }
    guard let problem = radio.has(.keepsRestarting) else { return .ok("The radio does not restart by itself.") }
    return .fault(problem.advice, fix: "sudo dmesg | grep -i -e usb -e voltage | tail")
}

private func firmware(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let text = radio.firmware else { return .skipped("The radio has not reported its firmware yet.") }
    guard let version = Version(text) else {
        return .warning("The firmware calls itself \"\(text.prefix(30))\", which is no version.", fix: updateFirmware)
    }
    let known = FirmwareFault.of(version)
    if let worst = known.first(where: \.isWorthAnUpdate) {
        return .warning("\(version): \(worst.text) A newer one is at flasher.meshtastic.org.", fix: updateFirmware)
    }
    let borne = known.map(\.text).joined(separator: " ")
    return .ok("\(version)" + (borne.isEmpty ? "." : ". Known faults that the gateway works around: \(borne)"))
}

/// Which board it is, for flasher.meshtastic.org.
private let updateFirmware = "mesh-gateway radio info"

private func region(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let region = radio.region else { return .skipped("The radio has not reported its region yet.") }
    guard region == 0 else { return .ok("The region is \(radio.regionName ?? "set (number \(region))").") }
    return .fault(
        "The radio has no region: it neither sends nor receives.",
        fix: "mesh-gateway radio config set lora.region=EU_868")
}

private func transmitter(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let isOff = radio.isTransmitterOff else { return .skipped("The radio has not reported it yet.") }
    guard isOff else { return .ok("The transmitter is on.") }
    return .warning(
        "The transmitter is switched off: messages are refused.",
        fix: "mesh-gateway radio config set lora.tx_enabled=true")
}

private func radioClock(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    let fix = "mesh-gateway radio set-time"
    if radio.isClockUnset == true {
        return .warning("The radio has no time: its screen and its packets show none.", fix: fix)
    }
    guard let ahead = radio.clockAhead else { return .skipped("No packet has shown the radio's clock yet.") }
    let words = durationInWords(milliseconds: abs(ahead) * 1000) + (ahead > 0 ? " ahead" : " behind")
    if abs(ahead) > 86_400 { return .fault("The radio's clock is \(words).", fix: fix) }
    if abs(ahead) > 60 { return .warning("The radio's clock is \(words).", fix: fix) }
    return .ok("The radio's clock is right to \(abs(ahead)) s.")
}

/// A server stores the texts that it hears in place of handing them on at once.
private func storeAndForward(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let isServer = radio.isStoreForwardServer else { return .skipped("The radio has not reported it yet.") }
    guard isServer else { return .ok("The radio is no store-and-forward server.") }
    return .warning(
        "The radio is a store-and-forward server: it keeps texts for other nodes and may withhold them here.",
        fix: "mesh-gateway radio config set store_forward.is_server=false")
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
