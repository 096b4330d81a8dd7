import JSON
import Nettle

// What a setting has, as JSON. Secrets are never in it, only how long they are.

extension JSONWriter {
    /// Null for a secret, and for what nobody knows; bytes in base64.
    public mutating func value(_ setting: SettingValue?) {
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
}

extension JSONWriter {
    /// Null where it is not known.
    public mutating func bounds(_ facts: SettingFacts) {
        member("min", facts.least)
        member("max", facts.greatest)
        member("unit", facts.unit)
        member("since", facts.since)
    }
}

extension SettingValue {
    /// How long a secret is; nil: it is none.
    public var secretBytes: Int? { if case .secret(let count) = self { count } else { nil } }
}
