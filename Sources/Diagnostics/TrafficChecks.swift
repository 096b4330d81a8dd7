import Terminal

// What comes over the line, and how busy the air is.

let trafficChecks = [
    Check("debug-text", ofEachRadio(debugText)), Check("garbage-bytes", ofEachRadio(garbageBytes)),
    Check("channel-utilization", ofEachRadio(channelUtilization)), Check("air-time", ofEachRadio(airTime)),
]

private let noTraffic = Check.Finding.skipped("Only a running daemon counts what comes over the line.")

private func share(_ part: UInt64, of whole: UInt64) -> Double {
    whole == 0 ? 0 : Double(part) * 100 / Double(whole)
}

private func debugText(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let traffic = radio.traffic else { return noTraffic }
    let share = share(traffic.text, of: traffic.bytes)
    guard traffic.text > 0 else { return .ok("The radio mixes no log text into what it sends.") }
    let words = "\(sizeInWords(traffic.text)) of log text, \(percentInWords(share)) of what the radio sends"
    // Every boot brings a few kilobytes.
    guard traffic.text > 20_000, share > 50 else { return .ok("\(words).") }
    return .warning(
        "\(words): it slows the line, and lands inside frames, which are lost then. As frames it does no harm.",
        fix: "mesh-gateway radio config set security.debug_log_api_enabled=true")
}

private func garbageBytes(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let traffic = radio.traffic else { return noTraffic }
    let share = share(traffic.garbage, of: traffic.bytes)
    let words = "\(sizeInWords(traffic.garbage)) of \(sizeInWords(traffic.bytes)) were neither frames nor text"
    if traffic.garbage > 2000, share > 20 {
        return .fault(
            "\(words): another program reads the port as well, or this is no Meshtastic radio.",
            fix: "mesh-gateway ports")
    }
    if traffic.garbage > 500, share > 1 {
        return .warning("\(words): try a shorter USB cable, and no hub.", fix: "mesh-gateway ports")
    }
    return .ok(words + ".")
}

/// How old the radio's word about the air may be, in milliseconds: it comes every minute, or every quarter of an hour.
private let freshness: Int64 = 2 * 3_600_000

private func channelUtilization(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let percent = radio.channelUtilization, let at = radio.utilizationAt, facts.now - at < freshness else {
        return .skipped("The radio has not said lately how busy the channel is.")
    }
    let words = "The channel is busy \(percentInWords(percent)) of the time"
    let fix = "mesh-gateway radio config set telemetry.device_update_interval=3600"
    // The firmware's own limits: polite to 25 %, and nothing but messages above 40 %.
    if percent > 40 {
        return .fault("\(words): messages get lost, and radios keep their reports to themselves.", fix: fix)
    }
    if percent > 25 { return .warning("\(words): radios begin to send less.", fix: fix) }
    return .ok(words + ".")
}

/// Percent of an hour that a station may send, by RegionCode: the limits that the firmware itself keeps.
private let dutyCycles: [UInt32: Double] = [2: 10, 3: 10, 12: 10, 14: 10, 15: 10, 29: 2.5, 32: 10]

private func airTime(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let percent = radio.airUtilization, let at = radio.utilizationAt, facts.now - at < freshness else {
        return .skipped("The radio has not said lately how much it sends.")
    }
    let words = "The radio has sent \(percentInWords(percent)) of the last hour"
    let fix = "mesh-gateway radio config set device.role=CLIENT_MUTE"
    guard let limit = radio.region.flatMap({ dutyCycles[$0] }) else {
        if percent > 25 { return .warning("\(words), and others cannot meanwhile.", fix: fix) }
        return .ok(words + ".")
    }
    let allowed = "\(percentInWords(limit)) are allowed in its region"
    if percent >= limit { return .fault("\(words); \(allowed): it sends nothing more for now.", fix: fix) }
    if percent > limit * 0.7 { return .warning("\(words); \(allowed).", fix: fix) }
    return .ok("\(words); \(allowed).")
}
