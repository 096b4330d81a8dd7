import CMeshtastic
import MeshModel

/// One value of a settings file, independent of the YAML reader.
public struct SettingsFileValue: Sendable {
    /// From the outermost key in; an element of a list is `[0]`.
    public var path: [String]
    /// Nil: there is none (`null`, `{}`). An empty list is an empty text.
    public var text: String?
    /// From 1.
    public var line: Int

    public init(path: [String], text: String?, line: Int) { (self.path, self.text, self.line) = (path, text, line) }
}

/// Why a file of settings is not taken over.
public struct SettingsFileError: Error, Equatable {
    /// Nil: it is about the file as a whole.
    public var line: Int?
    /// What is wrong, for the middle of a sentence.
    public var reason: String
}

/// What a file of settings asks for.
public struct ReadSettingsFile: Sendable {
    /// Paths and values as a person types them.
    public private(set) var changes: [(path: String, text: String)] = []
    public private(set) var link: ChannelLink?
    /// As the file has it.
    public private(set) var url: String?
    public private(set) var texts: [RadioText: String] = [:]
    public private(set) var place: FixedPlace?
    /// Sentences about what of it is passed over.
    public private(set) var notes: [String] = []

    /// The sections as far as they have been read: a value that no radio takes is found before one is asked.
    private var drafts: [SettingsName: SettingsSection] = [:]
    private var coordinates: [String: (value: Double, line: Int)] = [:]
    private var unknown: [String] = []
    private var hasKeyPair = false

    public init(_ values: [SettingsFileValue]) throws(SettingsFileError) {
        let keys: Set<String> = [
            "owner", "owner_short", "channel_url", "canned_messages", "ringtone", "location", "config", "module_config",
        ]
        let isSettings = values.contains { value in
            keys.contains { SettingsFileKeys.isName(value.path.first ?? "", of: $0) }
        }
        guard isSettings else {
            throw SettingsFileError(
                line: nil, reason: "there are no settings in it: none of " + keys.sorted().joined(separator: ", "))
        }
        for value in Self.withoutLists(values) { try take(value) }
        if !coordinates.isEmpty { try finishPlace() }
        finish()
    }

    /// The elements of a list of values are one text with commas, as a person types it.
    private static func withoutLists(_ values: [SettingsFileValue]) -> [SettingsFileValue] {
        var result: [SettingsFileValue] = []
        for value in values {
            guard let step = value.path.last, step.hasPrefix("["), let text = value.text else {
                result.append(value)
                continue
            }
            let path = Array(value.path.dropLast())
            if let last = result.indices.last, result[last].path == path, step != "[0]" {
                result[last].text = (result[last].text ?? "") + "," + text
            } else {
                result.append(SettingsFileValue(path: path, text: text, line: value.line))
            }
        }
        return result
    }

    private mutating func take(_ value: SettingsFileValue) throws(SettingsFileError) {
        guard let key = value.path.first else { return }
        func isKey(_ name: String, depth: Int) -> Bool {
            value.path.count == depth && SettingsFileKeys.isName(key, of: name)
        }
        for (name, path) in [("owner", "owner.long_name"), ("owner_short", "owner.short_name")]
        where isKey(name, depth: 1) {
            // The official reader passes over an empty name, too.
            guard let text = value.text.map(Self.trimmed), !text.isEmpty else { return }
            return try set(path, text, value.line)
        }
        for text in RadioText.allCases where isKey(text.name, depth: 1) {
            guard let wanted = value.text, !wanted.isEmpty else { return }
            do throws(SettingRefusal) {
                texts[text] = try text.checked(wanted)
            } catch {
                throw SettingsFileError(line: value.line, reason: Self.reason(error))
            }
            return
        }
        if isKey("channel_url", depth: 1) { return try takeLink(value) }
        if isKey("location", depth: 2) { return try takeCoordinate(value) }
        switch value.path.count {
        case 3...:
            if SettingsFileKeys.isName(key, of: "config") { return try takeSetting(value, .config) }
            if SettingsFileKeys.isName(key, of: "module_config") { return try takeSetting(value, .module) }
        default: break
        }
        // A section, a place or a group without anything in it.
        if value.text == nil { return }
        // How the official program numbers its schema.
        if value.path.count == 2, value.path[1] == "version" { return }
        unknown.append("\(value.path.joined(separator: ".")) (line \(value.line))")
    }

    private static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    private mutating func takeLink(_ value: SettingsFileValue) throws(SettingsFileError) {
        guard let text = value.text.map(Self.trimmed), !text.isEmpty else { return }
        do throws(ChannelLinkError) {
            link = try ChannelLink(parsing: text)
            url = text
        } catch {
            let reason =
                switch error {
                case .notALink: "is no link with channels; they begin with https://meshtastic.org/e/#"
                case .damaged, .noChannels: "is not whole"
                case .tooMany(let count): "holds \(count) channels, and a radio has eight"
                }
            throw SettingsFileError(line: value.line, reason: "channel_url \(reason)")
        }
    }

    private mutating func takeCoordinate(_ value: SettingsFileValue) throws(SettingsFileError) {
        guard let text = value.text else { return }
        guard ["lat", "lon", "alt"].contains(value.path[1]) else {
            unknown.append("location.\(value.path[1]) (line \(value.line))")
            return
        }
        guard let number = Double(text), number.isFinite else {
            throw SettingsFileError(line: value.line, reason: "location.\(value.path[1]) takes a number")
        }
        coordinates[value.path[1]] = (number, value.line)
    }

    private mutating func takeSetting(
        _ value: SettingsFileValue, _ kind: SettingsName.Kind
    ) throws(SettingsFileError) {
        guard let text = value.text else { return }
        let names = SettingsName.all.filter { $0.kind == kind }
        guard let section = names.first(where: { SettingsFileKeys.isName(value.path[1], of: "\($0)") }),
            let (path, field) = Self.field(value.path.dropFirst(2), in: section.fields, below: "\(section)")
        else {
            unknown.append("\(value.path.dropFirst().joined(separator: ".")) (line \(value.line))")
            return
        }
        if SettingsFile.own.contains(path) {
            if field.type == PROTOBUF_C_TYPE_BYTES {
                hasKeyPair = true
            } else if text.lowercased() != "false" {
                notes.append("\(path) is never set from a file: the radio would then not obey its own user.")
            }
            return
        }
        if field.isSecret, text == "sekrit" {
            notes.append("\(path) is hidden in the file (\"sekrit\" is no password) and stays as it is.")
            return
        }
        try set(path, Self.typed(text, field), value.line)
    }

    /// Nil: this version knows no such setting.
    private static func field(
        _ keys: ArraySlice<String>, in message: MessageFields, below path: String
    ) -> (path: String, field: MessageField)? {
        guard let key = keys.first,
            let field = message.list.first(where: { SettingsFileKeys.isName(key, of: $0.name) })
        else { return nil }
        var (rest, path) = (keys.dropFirst(), "\(path).\(field.name)")
        guard let inner = field.message else { return rest.isEmpty ? (path, field) : nil }
        if field.isRepeated {
            guard let element = rest.popFirst(), element.hasPrefix("[") else { return nil }
            path += element
        }
        return Self.field(rest, in: inner, below: path)
    }

    /// A value of the file as a person types it.
    private static func typed(_ text: String, _ field: MessageField) -> String {
        switch field.type {
        case PROTOBUF_C_TYPE_BYTES:
            return text.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("base64:") ? $0.dropFirst(7) : $0 }.joined(separator: ",")
        case PROTOBUF_C_TYPE_FIXED32 where field.isAddress:
            return UInt32(text).map(SettingsFileKeys.address) ?? text
        default: return text
        }
    }

    private mutating func set(_ path: String, _ text: String, _ line: Int) throws(SettingsFileError) {
        guard let name = SettingsName(String(path.prefix { $0 != "." })),
            let draft = drafts[name] ?? SettingsSection(name, [])
        else { return }
        do throws(SettingRefusal) {
            drafts[name] = try draft.applying([(path, text)])
        } catch {
            throw SettingsFileError(line: line, reason: Self.reason(error))
        }
        changes.append((path, text))
    }

    private static func reason(_ refusal: SettingRefusal) -> String {
        switch refusal {
        case .badValue(let path, let expected): "\(path) takes \(expected)"
        case .notHere(let path): "\(path) cannot be set from a file"
        case .unknown(let path): "there is no setting \(path)"
        }
    }

    private mutating func finishPlace() throws(SettingsFileError) {
        // The order to the radio would switch it on.
        guard drafts.values.contains(where: { $0["position.fixed_position"] == .flag(true) }) else {
            notes.append("The location is passed over: config.position.fixedPosition is not true in the file.")
            return
        }
        let line = coordinates.values.map(\.line).min()
        let altitude = coordinates["alt"].map { Int(exactly: $0.value.rounded(.towardZero)) ?? .max }
        guard let latitude = coordinates["lat"]?.value, let longitude = coordinates["lon"]?.value,
            let place = FixedPlace(latitude: latitude, longitude: longitude, altitude: altitude)
        else {
            throw SettingsFileError(
                line: line,
                reason: "location takes lat (-90 to 90) and lon (-180 to 180), not both of them 0, and alt in metres")
        }
        self.place = place
    }

    private mutating func finish() {
        if hasKeyPair { notes.append("The radio keeps its own key pair; the one in the file is passed over.") }
        guard !unknown.isEmpty else { return }
        let more = unknown.count > 5 ? " and \(unknown.count - 5) more" : ""
        notes.append("Not known here and passed over: \(unknown.prefix(5).joined(separator: ", "))\(more).")
    }
}
