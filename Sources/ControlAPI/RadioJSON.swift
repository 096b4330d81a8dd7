import Gateway
import JSON
import MeshModel
import MeshProtocol
import Nettle
import Routes

// The radio's settings as JSON. Secrets are never in it, only how long they are.

extension JSONWriter {
    /// A setting's path, its value, and what it can be.
    mutating func setting(_ setting: Setting) {
        member("path", setting.path)
        key("value")
        value(setting.value)
        member("secretBytes", setting.value.secretBytes)
        key("choices")
        array { json in for choice in setting.choices { json.value(choice) } }
    }

    /// Null for a secret; bytes in base64.
    mutating func value(_ setting: SettingValue?) {
        switch setting {
        case .flag(let flag): value(flag)
        case .integer(let number): value(number)
        case .unsigned(let number): value(number)
        case .number(let number): value(number)
        case .text(let text), .choice(let text), .address(let text): value(text)
        case .bytes(let bytes): value(Base64.encoded(bytes))
        case .list(let values): array { json in for value in values { json.value(value) } }
        case .secret, nil: null()
        }
    }

    mutating func changes(_ rows: [SettingsChange.Row]) {
        key("changes")
        array { json in
            for row in rows {
                json.object { json in
                    json.member("path", row.path)
                    json.key("old")
                    json.value(row.old)
                    json.key("new")
                    json.value(row.new)
                    json.key("taken")
                    json.value(row.taken)
                    json.member("oldSecretBytes", row.old.secretBytes)
                    json.member("newSecretBytes", row.new.secretBytes)
                    json.member("isChange", row.isChange)
                    json.member("isTaken", row.taken.map { $0 == row.new })
                }
            }
        }
    }

    mutating func consequences(restarts: Bool?, _ warnings: [String]) {
        member("restarts", restarts ?? false)
        key("warnings")
        array { json in for warning in warnings { json.value(warning) } }
    }

    /// What `radio info` shows of a section.
    mutating func infoMembers(_ section: SettingsSection) {
        func shown(_ path: String, _ name: StaticString, _ json: inout JSONWriter) {
            json.key(name)
            json.value(section[path])
        }
        if section.name == .device {
            shown("device.role", "role", &self)
        } else {
            shown("lora.region", "region", &self)
            shown("lora.use_preset", "usesPreset", &self)
            shown("lora.modem_preset", "modemPreset", &self)
            shown("lora.bandwidth", "bandwidth", &self)
            shown("lora.spread_factor", "spreadFactor", &self)
            shown("lora.coding_rate", "codingRate", &self)
            shown("lora.channel_num", "frequencySlot", &self)
            shown("lora.override_frequency", "overrideFrequency", &self)
            shown("lora.hop_limit", "hopLimit", &self)
            shown("lora.tx_power", "txPower", &self)
            shown("lora.tx_enabled", "txEnabled", &self)
        }
    }

    /// A channel without its key.
    ///
    /// - Parameter lora: names a channel that has no name of its own, as every radio shows it.
    mutating func linked(_ channel: Channel, lora: LoRaSettings?, index: Int) {
        member("index", index)
        member("role", "\(channel.role)")
        member("name", channel.name.isEmpty ? lora?.defaultChannelName ?? "" : channel.name)
        member("key", channel.keyKind)
        member("keyBytes", channel.psk.count)
        member("authenticated", channel.usesAEAD)
        member("uplinkEnabled", channel.uplinkEnabled)
        member("downlinkEnabled", channel.downlinkEnabled)
        member("positionPrecision", channel.positionPrecision)
    }
}

extension SettingValue {
    fileprivate var secretBytes: Int? { if case .secret(let count) = self { count } else { nil } }
}

extension Channel {
    /// `none`; `public`: one of the keys that everybody has (SerialReference 7.3); `own`.
    fileprivate var keyKind: String {
        switch psk.count {
        case 0: role == .secondary ? "primary's" : "none"
        case 1: psk[0] == 0 ? "none" : "public"
        default: "own"
        }
    }
}

extension APIError {
    /// The sentence of a radio's refusal: what it was, and what to do.
    init(_ refusal: RadioRefusal) {
        switch refusal {
        case .notConnected: self = .brief(503, "the radio is not connected; mesh-gateway status says why")
        case .silent:
            self = .brief(
                504, "the radio did not answer within five seconds; try again, and see mesh-gateway status")
        case .refused(.noResponse), .refused(.badRequest):
            self = .conflict(
                "the radio refused it: its firmware does not take such a value, or it is administered from afar "
                    + "(security.is_managed); mesh-gateway radio config get shows what it has")
        case .refused(let error):
            self = .conflict(
                "the radio refused it (\(error.explanation)); mesh-gateway radio config get shows how it is set")
        case .noSuchSection(let name):
            self = .notFound(
                "the radio has no settings \"\(name)\": its firmware was built without them; "
                    + "mesh-gateway radio config get lists what it has")
        case .setting(let refusal): self = APIError(refusal)
        case .noFreeSlot(let wanted, let free):
            self = .conflict(
                "\(wanted) channels are to be added and \(free) of the radio's eight are free; make room, or take the "
                    + "link's channels instead of yours with --replace")
        case .editIsOpen(let owner):
            self = .conflict(
                "a program at a shared port (\(owner.name)) is changing settings and has not committed them yet, so "
                    + "nothing was written; try again when it has done, or in a minute: then its edit ends by itself")
        case .hostClockUnset:
            self = .conflict("this computer's own clock is not set; give it the time first: timedatectl set-ntp true")
        case .storage(let reason): self = .failed("it could not be stored: \(reason)")
        }
    }

    /// What it says, where that is for a person alone.
    var sentence: String? {
        switch self {
        case .conflict(let text), .notFound(let text), .badRequest(let text), .failed(let text), .brief(_, let text, _):
            text
        default: nil
        }
    }

    private init(_ refusal: SettingRefusal) {
        switch refusal {
        case .unknown(let path):
            let section = path.prefix { $0 != "." }
            let isKnown = SettingsName(String(section)) != nil
            self = .notFound(
                isKnown
                    ? "there is no setting \"\(path)\"; mesh-gateway radio config get \(section) lists what there is"
                    : "there are no settings \"\(path)\"; there are "
                        + SettingsName.all.map(\.description).joined(separator: ", ")
                        + " (mesh-gateway radio config get shows them all)")
        case .notHere(let path):
            self = .badRequest(
                "\(path) cannot be set here; use an app for that, and mesh-gateway radio config get to look")
        case .badValue(let path, let expected):
            self = .badRequest("\(path) takes \(expected); mesh-gateway radio config get \(path) shows what it is now")
        }
    }
}
