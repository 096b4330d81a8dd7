import CMeshtastic

/// One section of the radio's settings, as the radio told it.
///
/// Everything is in it, fields that nobody knows yet and secrets too: what is written back must be complete, because the
/// radio takes a missing field for 0 and a missing private key for the wish to have another one (SerialReference
/// 4.14). So the bytes never leave this room but on their way to the radio, and no description shows them.
public struct SettingsSection: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let name: SettingsName
    let bytes: [UInt8]

    /// Nil when the bytes are no such section.
    init?(_ name: SettingsName, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        guard Self.fields(in: bytes[...]) != nil, Self.settings(bytes[...], name.fields, "") != nil else { return nil }
    }

    private init(_ name: SettingsName, changed bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// With nothing set.
    public static func blank(_ name: SettingsName) -> SettingsSection { SettingsSection(name, changed: []) }

    public var description: String { "settings \(name)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// All fields, by their standard names; secrets are hidden.
    public var settings: [Setting] { Self.settings(bytes[...], name.fields, "\(name).") ?? [] }

    /// - Parameter path: with the section.
    public subscript(_ path: String) -> SettingValue? { settings.first { $0.path == path }?.value }

    /// The section with other values; everything else stays as the radio sent it.
    ///
    /// - Parameter changes: paths with the section, and the values as a person writes them.
    public func applying(_ changes: [(path: String, text: String)]) throws(SettingRefusal) -> SettingsSection {
        var bytes = bytes
        for (path, text) in changes {
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard names.first?.lowercased() == name.description, names.count > 1 else { throw .unknown(path) }
            if settings.contains(where: { $0.path == path.lowercased() && $0.isOnlyTold }) { throw .notHere(path) }
            bytes = try Self.setting(names.dropFirst(), to: text, in: bytes[...], name.fields, path)
        }
        return SettingsSection(name, changed: bytes)
    }

    private static func isOnlyTold(_ field: MessageField, _ path: String) -> Bool {
        // A new key pair is another identity, which nobody should type.
        field.name == "private_key" || path == "security.public_key"
            || path.hasPrefix("owner.") && !ofOwner.contains(field.name)
    }

    /// What the radio takes of a User (SerialReference 4.14).
    private static let ofOwner: Set<String> = ["long_name", "short_name", "is_licensed", "is_unmessagable"]

    /// The section with the values of another one of the same name in these fields of the first level.
    public func taking(_ names: Set<String>, from other: SettingsSection) -> SettingsSection {
        precondition(other.name == name, "sections of two kinds")
        let numbers = Set(name.fields.list.filter { names.contains($0.name) }.map(\.number))
        let kept = (Self.fields(in: bytes[...]) ?? []).filter { !numbers.contains($0.number) }
        let taken = (Self.fields(in: other.bytes[...]) ?? []).filter { numbers.contains($0.number) }
        return SettingsSection(name, changed: (kept + taken).flatMap { Array($0.whole) })
    }

    /// It holds this secret, as somebody has written it who was shown none.
    public func setsSecret(_ field: String) -> Bool {
        guard let number = name.fields.list.first(where: { $0.name == field })?.number else { return false }
        return (Self.fields(in: bytes[...]) ?? []).contains {
            $0.number == number && !$0.content.isEmpty && !$0.isHidden
        }
    }

    /// It says the same, in whatever order.
    public func isSame(as other: SettingsSection) -> Bool {
        let both = [bytes, other.bytes].map { bytes in
            Dictionary(grouping: Self.fields(in: bytes[...]) ?? [], by: \.number).mapValues { $0.map(\.value) }
        }
        return name == other.name && both[0] == both[1]
    }

    private static func fields(in bytes: ArraySlice<UInt8>) -> [WireField]? { WireField.all(in: bytes) }

    private static func settings(
        _ bytes: ArraySlice<UInt8>, _ message: MessageFields, _ prefix: String
    ) -> [Setting]? {
        guard let fields = fields(in: bytes) else { return nil }
        var settings: [Setting] = []
        for field in message.list {
            let occurrences = fields.filter { $0.number == field.number }
            let path = prefix + field.name
            if let inner = field.message {
                guard occurrences.allSatisfy(\.isLengthDelimited) else { return nil }
                // Occurrences of one message are merged, which is the same as reading them as one.
                let contents = occurrences.map(\.content)
                let parts =
                    field.isRepeated
                    ? contents.enumerated().map { ("\(path)[\($0.offset)].", $0.element) }
                    : [("\(path).", contents.flatMap(\.self)[...])]
                for (prefix, content) in parts {
                    guard let found = Self.settings(content, inner, prefix) else { return nil }
                    settings += found
                }
            } else {
                guard let value = field.value(of: occurrences), let kind = field.kind else { return nil }
                settings.append(
                    Setting(
                        path: path, value: value, choices: field.choices.map(\.name), kind: kind,
                        isList: field.isRepeated, isOnlyTold: isOnlyTold(field, path)))
            }
        }
        return settings
    }

    private static func setting(
        _ names: ArraySlice<String>, to text: String, in bytes: ArraySlice<UInt8>, _ message: MessageFields,
        _ path: String
    ) throws(SettingRefusal) -> [UInt8] {
        guard let (name, element) = names.first.flatMap(Self.element), let fields = fields(in: bytes),
            let field = message.list.first(where: { $0.name == name })
        else { throw .unknown(path) }
        var result = fields.filter { $0.number != field.number }.flatMap { Array($0.whole) }
        if let inner = field.message {
            guard names.count > 1, field.isRepeated == (element != nil) else { throw .notHere(path) }
            let parts = fields.filter { $0.number == field.number }.map { Array($0.content) }
            // Occurrences of one message are merged; of a list, one is changed, or added behind the last.
            var contents = field.isRepeated ? parts : [parts.flatMap(\.self)]
            let place = element ?? 0
            guard place <= contents.count, place < Self.longestList else { throw .unknown(path) }
            if place == contents.count { contents.append([]) }
            contents[place] = try setting(names.dropFirst(), to: text, in: contents[place][...], inner, path)
            for content in contents { WireBytes.append(field.number, content, to: &result) }
        } else {
            guard names.count == 1, element == nil else { throw .unknown(path) }
            result += try field.encoded(text, path)
        }
        return result
    }

    /// More than any list of messages has in a radio.
    private static let longestList = 8

    /// The name of a field in small letters, and of `available_pins[1]` the 1.
    private static func element(_ name: String) -> (name: String, element: Int?)? {
        let parts = name.lowercased().split(separator: "[", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return (name.lowercased(), nil) }
        guard parts[1].last == "]", let place = Int(parts[1].dropLast()), place >= 0 else { return nil }
        return (String(parts[0]), place)
    }
}

/// Why a setting is not set.
public enum SettingRefusal: Error, Equatable {
    /// There is no such setting.
    case unknown(String)
    /// The setting cannot be written here, such as the private key.
    case notHere(String)
    /// The value is none for this setting; the text says what would be one.
    case badValue(path: String, expected: String)
}

extension SettingRefusal {
    /// For a person.
    public var sentence: String {
        switch self {
        case .unknown(let path):
            let section = path.prefix { $0 != "." }
            return SettingsName(String(section)) != nil
                ? "there is no setting \"\(path)\""
                : "there are no settings \"\(path)\"; there are "
                    + SettingsName.all.map(\.description).joined(separator: ", ")
        case .notHere(let path): return "\(path) cannot be set here"
        case .badValue(let path, let expected): return "\(path) takes \(expected)"
        }
    }
}
