import MeshModel

@testable import Diagnostics

let radioProvocations = linkProvocations + settingProvocations + trafficProvocations + keyProvocations

private func problem(_ kind: Problem.Kind, _ link: String = "live") -> @Sendable (HealthyBox) -> Void {
    { box in
        box.radio {
            $0.link = link
            $0.problems = [Problem(kind, "The \(kind.rawValue) advice.")]
        }
    }
}

private let linkProvocations = [
    Provocation(
        "radio-link", .fault, "port-busy for 1 h: The port-busy advice", "mesh-gateway ports",
        problem(.portBusy, "lost")),
    Provocation(
        "radio-link", .warning, "handshake-incomplete",
        "mesh-gateway radio config set security.debug_log_api_enabled=true", problem(.handshakeIncomplete)),
    Provocation(
        "radio-link", .warning, "configuring", "mesh-gateway status", { $0.radio { $0.link = "configuring" } }),
    Provocation("radio-link", .ok, "connected", nil, problem(.regionUnset)),
    Provocation("radio-link", .skipped, "Without a daemon", "mesh-gateway serve", { $0.stopDaemon() }),
    Provocation("radio-link", .skipped, "Not known: why", nil, { $0.facts.mesh = .unknown("why") }),
    Provocation(
        "radio-silence", .fault, "The packets-withheld advice", "mesh-gateway radio reboot", problem(.packetsWithheld)
    ),
    Provocation(
        "radio-silence", .fault, "The not-responding advice", "mesh-gateway radio reboot",
        problem(.notResponding, "lost")),
    Provocation(
        "radio-silence", .warning, "Nothing was heard from the mesh for 5 h", "mesh-gateway channels",
        {
            $0.radio {
                $0.since = HealthyBox.now - 9 * HealthyBox.hour
                $0.lastPacket = HealthyBox.now - 5 * HealthyBox.hour
            }
        }),
    Provocation("radio-silence", .ok, "No packet has come yet", nil, { $0.radio { $0.lastPacket = nil } }),
    Provocation(
        "radio-restarts", .fault, "The keeps-restarting advice",
        "sudo dmesg | grep -i -e usb -e voltage | tail", problem(.keepsRestarting)),
]

private func firmware(_ version: String?) -> @Sendable (HealthyBox) -> Void {
    { $0.radio { $0.firmware = version } }
}

private let settingProvocations = [
    Provocation("firmware", .warning, "older than 2.7", "mesh-gateway radio info", firmware("2.6.11.60ec05e")),
    Provocation("firmware", .warning, "are dropped silently", "mesh-gateway radio info", firmware("2.7.3.cf574c7")),
    Provocation(
        "firmware", .warning, "readable for the whole channel", "mesh-gateway radio info", firmware("2.7.15.567b8ea")),
    Provocation(
        "firmware", .warning, "stalls on serial consoles", "mesh-gateway radio info", firmware("2.8.0.512154f")),
    Provocation("firmware", .ok, "issue 10975", nil, firmware("2.7.26.54e0d8d")),
    Provocation("firmware", .warning, "is no version", "mesh-gateway radio info", firmware("unset")),
    Provocation("firmware", .skipped, "not reported", nil, firmware(nil)),
    Provocation(
        "region", .fault, "neither sends nor receives", "mesh-gateway radio config set lora.region=EU_868",
        { $0.radio { $0.region = 0 } }),
    Provocation(
        "transmitter", .warning, "switched off", "mesh-gateway radio config set lora.tx_enabled=true",
        { $0.radio { $0.isTransmitterOff = true } }),
    Provocation(
        "radio-clock", .warning, "has no time", "mesh-gateway radio set-time",
        {
            $0.radio {
                $0.isClockUnset = true
                $0.clockAhead = nil
            }
        }),
    Provocation(
        "radio-clock", .warning, "5 min behind", "mesh-gateway radio set-time", { $0.radio { $0.clockAhead = -300 } }),
    Provocation(
        "radio-clock", .fault, "4 d ahead", "mesh-gateway radio set-time",
        { $0.radio { $0.clockAhead = 4 * 86_400 } }),
    Provocation("radio-clock", .skipped, "No packet", nil, { $0.radio { $0.clockAhead = nil } }),
    Provocation(
        "store-and-forward", .warning, "withhold", "mesh-gateway radio config set store_forward.is_server=false",
        { $0.radio { $0.isStoreForwardServer = true } }),
    Provocation("store-and-forward", .skipped, "not reported", nil, { $0.radio { $0.isStoreForwardServer = nil } }),
]

private func traffic(_ bytes: UInt64, text: UInt64, garbage: UInt64) -> @Sendable (HealthyBox) -> Void {
    { $0.radio { $0.traffic = .init(bytes: bytes, text: text, garbage: garbage) } }
}

private let trafficProvocations = [
    Provocation(
        "debug-text", .warning, "51 kB of log text, 93 % of what the radio sends",
        "mesh-gateway radio config set security.debug_log_api_enabled=true", traffic(54_900, text: 51_400, garbage: 0)),
    // What every start prints is no reason to change anything.
    Provocation("debug-text", .ok, "6 kB of log text", nil, traffic(9000, text: 6000, garbage: 0)),
    Provocation("debug-text", .skipped, "Only a running daemon", nil, { $0.radio { $0.traffic = nil } }),
    Provocation(
        "garbage-bytes", .warning, "3 kB of 100 kB", "mesh-gateway ports", traffic(100_000, text: 0, garbage: 3000)),
    Provocation(
        "garbage-bytes", .fault, "another program reads the port", "mesh-gateway ports",
        traffic(100_000, text: 0, garbage: 48_000)),
    Provocation(
        "channel-utilization", .warning, "busy 31 % of the time",
        "mesh-gateway radio config set telemetry.device_update_interval=3600",
        { $0.radio { $0.channelUtilization = 31.2 } }),
    Provocation(
        "channel-utilization", .fault, "messages get lost",
        "mesh-gateway radio config set telemetry.device_update_interval=3600",
        { $0.radio { $0.channelUtilization = 55 } }),
    Provocation(
        "channel-utilization", .skipped, "not said lately", nil,
        { $0.radio { $0.utilizationAt = HealthyBox.now - 3 * HealthyBox.hour } }),
    Provocation(
        "air-time", .warning, "sent 8.1 % of the last hour; 10 % are allowed",
        "mesh-gateway radio config set device.role=CLIENT_MUTE", { $0.radio { $0.airUtilization = 8.06 } }),
    Provocation(
        "air-time", .fault, "it sends nothing more", "mesh-gateway radio config set device.role=CLIENT_MUTE",
        { $0.radio { $0.airUtilization = 10.4 } }),
    // In the US there is no such limit.
    Provocation(
        "air-time", .ok, "10.4 %", nil,
        {
            $0.radio {
                $0.airUtilization = 10.4
                $0.region = 1
            }
        }),
]

private let keyProvocations = [
    Provocation(
        "weak-keys", .fault, "own key can be guessed", "mesh-gateway radio info",
        { $0.radio { $0.isOwnKeyWeak = true } }),
    Provocation(
        "weak-keys", .warning, "!00000001, !00000002, !00000003, !00000004, !00000005 and 3 more",
        "mesh-gateway keys list --full",
        { $0.radio { $0.weakKeys = .init((1...8).map { "!0000000\($0)" }) } }),
    Provocation(
        "shared-keys", .warning, "!00000001, !00000002", "mesh-gateway keys list --full",
        { $0.radio { $0.sharedKeys = .init(["!00000001", "!00000002"]) } }),
    Provocation(
        "shared-keys", .fault, "this radio's own key", "mesh-gateway keys list --full",
        {
            $0.radio {
                $0.isOwnKeyShared = true
                $0.sharedKeys = .init(["!00000001"])
            }
        }),
    Provocation(
        "key-changes", .warning, "Another key was seen for !0000000a", "mesh-gateway keys verify '!0000000a'",
        { $0.radio { $0.doubtedKeys = .init(["!0000000a"]) } }),
    Provocation(
        "favorites", .warning, "does not have: !0000000a", nil,
        { $0.radio { $0.missingFavorites = .init(["!0000000a"]) } }),
    Provocation(
        "renumbered-nodes", .warning,
        "!0000000b is the number that firmware 2.8 makes of the key of !0000000a, and 1 more",
        "mesh-gateway node merge '!0000000a' '!0000000b' --dry-run",
        { $0.radio { $0.renumberedNodes = .init(["!0000000a !0000000b", "!0000000c !0000000d"]) } }),
    Provocation(
        "quiet-nodes", .warning, "Of 4 nodes that were heard in the last week 2 have sent no telemetry", nil,
        {
            $0.radio {
                $0.heardNodes = 4
                $0.quietNodes = .init(["!0000000a", "!0000000b"])
            }
        }),
    Provocation(
        "quiet-nodes", .ok, "Of 4 nodes", nil,
        {
            $0.radio {
                $0.heardNodes = 4
                $0.quietNodes = .init(["!0000000a"])
            }
        }),
]
