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
        bounds(setting.facts)
        member("help", setting.facts.help)
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
            self = .conflict(RadioRefusal.sentence(ofEditBy: owner))
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
        let sentence = refusal.sentence
        switch refusal {
        case .unknown(let path):
            let section = path.prefix { $0 != "." }
            let isKnown = SettingsName(String(section)) != nil
            self = .notFound(
                isKnown
                    ? "\(sentence); mesh-gateway radio config get \(section) lists what there is"
                    : "\(sentence) (mesh-gateway radio config get shows them all)")
        case .notHere:
            self = .badRequest("\(sentence); use an app for that, and mesh-gateway radio config get to look")
        case .badValue(let path, _):
            self = .badRequest("\(sentence); mesh-gateway radio config get \(path) shows what it is now")
        }
    }
}
