import Gateway
import HTTPServer
import JSON
import MeshProtocol
import Routes
import Store

// The attached radio's own settings. They are asked of the radio when somebody wants them, and nothing of them is stored.

extension RestAPI {
    static let radioSettingsEndpoints: [Endpoint] = [
        .perSource(.get, "radio/settings", .configuration, .read, RestAPI.radioSettings)
    ]

    /// Names of the sections that there are.
    package static var settingsSections: [String] { SettingsName.all.map(\.description) }

    /// `P/radio/settings[?section=…]`: every field with what it can be, and the regions that the radio knows.
    func radioSettings(_ call: Call) throws(APIError) -> Response {
        let names = try call.request.queryValue("section").map { (text) throws(APIError) in
            guard let name = SettingsName(text) else {
                throw .badRequest("section is one of \(Self.settingsSections.joined(separator: ", "))")
            }
            return [name]
        }
        let (gateway, source) = (gateway, call.source.id)
        let mayWrite = call.caller.may(.write, .configuration)
        return radioReadings.answer(
            SettingsReading.name(of: names), of: source, for: call.caller.token,
            { () throws(RadioRefusal) in try gateway.settings(names, of: source) },
            page: { outcome in
                switch outcome {
                case .read(let read):
                    .json(to: call.request) { $0.settings(read, gateway.status(of: source), mayWrite: mayWrite) }
                case .refused(let refusal): APIError(asking: refusal).response
                case .busy: APIError.busy("Too many questions wait for the radio", retryAfter: 5).response
                }
            })
    }
}

extension JSONWriter {
    fileprivate mutating func settings(_ read: SettingsReading, _ radio: RadioStatus, mayWrite: Bool) {
        object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("firmware", radio.firmwareVersion)
                json.key("settings")
                json.array { json in
                    for setting in read.sections.flatMap(\.settings) {
                        json.object { $0.setting(setting, of: radio.firmwareVersion, mayWrite: mayWrite) }
                    }
                }
                json.key("missing")
                json.array { json in for name in read.missing { json.value("\(name)") } }
                json.key("regions")
                json.array { json in
                    let regions = radio.allowedPresets?.all ?? AllowedPresets.assumed(for: radio.firmwareVersion)
                    for region in regions { json.object { $0.region(region) } }
                }
            }
        }
    }

    fileprivate mutating func setting(_ setting: Setting, of firmware: String?, mayWrite: Bool) {
        let facts = setting.facts
        member("path", setting.path)
        member("type", setting.isList ? "\(setting.kind.rawValue)[]" : setting.kind.rawValue)
        key("value")
        value(setting.value)
        member("secretBytes", setting.value.secretBytes)
        key("choices")
        if setting.kind == .choice {
            array { json in for choice in setting.choices { json.value(choice) } }
        } else {
            null()
        }
        bounds(facts)
        member("restarts", SettingsConsequences.restarts(setting.path, firmware))
        member("writable", setting.isWritable && mayWrite)
        member("help", facts.help)
    }

    /// Where it is and how long one may send there is null for a region that is not known here.
    fileprivate mutating func region(_ allowed: AllowedPresets.OfRegion) {
        let region = LoRaRegion.of(allowed.region)
        member("region", EnumNames.region(allowed.region) ?? "\(allowed.region)")
        member("from", region?.from)
        member("to", region?.to)
        member("dutyCycle", region?.dutyCycle)
        member("licensed", allowed.isLicensed)
        key("presets")
        array { json in for preset in allowed.presets { json.value(preset) } }
        member("defaultPreset", allowed.standard)
    }
}

extension APIError {
    /// Why a radio did not answer a question.
    init(asking refusal: RadioRefusal) {
        switch refusal {
        case .notConnected: self = .notConnected
        case .silent: self = .radioTooSlow
        case .refused(let error): self = .conflict("The radio refused the question: \(error.explanation)")
        // None of them comes of a question.
        case .noSuchSection, .setting, .noFreeSlot, .hostClockUnset, .editIsOpen, .storage:
            self = .failed("The radio could not be asked")
        }
    }
}
