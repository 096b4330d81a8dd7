import Gateway
import JSON
import MeshModel
import MeshProtocol
import Nettle
import Routes

// What clients send to change the radio's settings, channels and all, as an edit. What cannot be right is refused before the
// radio is asked.

extension SettingsEdit {
    private static let mostChanges = 32

    /// `{changes, channels, link}`, each of them optional.
    ///
    /// - Parameter lora: names channels that have no name.
    init(posted body: JSONValue?, lora: LoRaSettings?) throws(APIError) {
        self.init()
        guard case .object(let members)? = body else { throw .badRequest("The body is an object") }
        try Self.refuseOthers(than: ["changes", "channels", "link", "preview"], in: members)
        if let posted = members["changes"], posted != .null {
            guard case .array(let rows) = posted, rows.count <= Self.mostChanges else {
                throw .badRequest("changes is a list of at most \(Self.mostChanges) objects")
            }
            for row in rows { changes.append(try Change(posted: row)) }
        }
        if let posted = members["channels"], posted != .null {
            guard case .array(let rows) = posted, rows.count <= 8 else {
                throw .badRequest("channels is a list of at most eight objects")
            }
            for row in rows {
                guard let index = row["index"]?.integer, (0...7).contains(index) else {
                    throw .badRequest("The index of a channel is a number from 0 to 7")
                }
                slots.append(try Slot(Int(index), posted: row, lora: lora))
            }
        }
        if let posted = members["link"], posted != .null { try setLink(posted) }
        guard !changes.isEmpty || !slots.isEmpty || link != nil else { throw .badRequest("There is nothing to change") }
    }

    /// `{url, replace}`.
    init(link posted: JSONValue?) throws(APIError) {
        self.init()
        try setLink(posted ?? .null)
    }

    private mutating func setLink(_ posted: JSONValue) throws(APIError) {
        do throws(ChannelLinkError) {
            link = try ChannelLink(parsing: (posted["url"]?.string ?? "").trimmed)
        } catch {
            switch error {
            case .notALink:
                throw .badRequest("The url is no link with channels; they begin with https://meshtastic.org/e/#")
            case .damaged, .noChannels: throw .badRequest("The url is not whole")
            case .tooMany(let count): throw .badRequest("The link holds \(count) channels, and a radio has eight")
            }
        }
        replaces = try posted.flag("replace") ?? false
    }

    fileprivate static func refuseOthers(
        than known: Set<String>, in members: [String: JSONValue]
    ) throws(APIError) {
        if let other = members.keys.filter({ !known.contains($0) }).min() {
            throw .badRequest("\(other) is not one of \(known.sorted().joined(separator: ", "))")
        }
    }
}

extension SettingsEdit.Change {
    fileprivate init(posted row: JSONValue) throws(APIError) {
        guard case .object(let members) = row, let path = row["path"]?.string, let value = members["value"] else {
            throw .badRequest("Each of the changes has a path and a value")
        }
        try SettingsEdit.refuseOthers(than: ["path", "value", "was"], in: members)
        self.init(
            path: path, text: try value.typed(for: path),
            was: try members["was"].flatMap { (was) throws(APIError) in
                try was.typed(for: path)
            })
    }
}

extension SettingsEdit.Slot {
    /// Those of a channel's row that follow from the others, and what is asked about the whole.
    private static let shown: Set<String> = [
        "id", "index", "displayName", "role", "roleName", "scope", "pskSet", "encryptionStatus", "preview",
    ]
    private static let written: Set<String> = [
        "name", "psk", "uplinkEnabled", "downlinkEnabled", "positionPrecision",
    ]

    /// Any of the members that `GET channels` shows.
    init(_ index: Int, posted row: JSONValue?, lora: LoRaSettings?) throws(APIError) {
        self.init(index: index)
        guard let row, case .object(let members) = row else { throw .badRequest("A channel is an object") }
        try SettingsEdit.refuseOthers(than: Self.shown.union(Self.written), in: members)
        for key in ["id", "index"] where row[key] != nil && row[key]?.integer != Int64(index) {
            throw .badRequest("\(key) is another channel than \(index)")
        }
        shownName = Channel(index: index).shownName(lora)
        name = try row["name"].map { (posted) throws(APIError) in
            guard let name = posted.string, name.utf8.count <= 11, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { throw .badRequest("The name of a channel has at most 11 bytes, on one line") }
            return name
        }
        psk = try row["psk"].map { (posted) throws(APIError) in try Self.key(posted, index) }
        uplinkEnabled = try row.flag("uplinkEnabled")
        downlinkEnabled = try row.flag("downlinkEnabled")
        positionPrecision = try row["positionPrecision"].map { (posted) throws(APIError) in
            guard let bits = posted.integer, (0...32).contains(bits) else {
                throw .badRequest("positionPrecision is a number of bits from 0 to 32")
            }
            return UInt32(bits)
        }
    }

    private static func key(_ posted: JSONValue, _ index: Int) throws(APIError) -> [UInt8] {
        switch posted {
        // An empty key of a secondary channel is the primary's.
        case .string("none"): return index == 0 ? [] : [0]
        case .string("public"): return [1]
        case .string("new"): return (0..<32).map { _ in UInt8.random(in: 0...255) }
        case .string(let text):
            if let key = Base64.decoded(text), [1, 16, 32].contains(key.count) { return key }
        default: break
        }
        throw .badRequest("psk is none, public, new, or 1, 16 or 32 bytes in base64")
    }
}

extension JSONValue {
    /// Nil: it is left out.
    func flag(_ key: String) throws(APIError) -> Bool? {
        guard let posted = self[key] else { return nil }
        guard let flag = posted.bool else { throw .badRequest("\(key) is true or false") }
        return flag
    }

    /// As a person would type it; nil for null.
    fileprivate func typed(for path: String) throws(APIError) -> String? {
        switch self {
        case .null: return nil
        case .bool(let flag): return "\(flag)"
        case .number(let number): return integer.map { "\($0)" } ?? "\(number)"
        case .string(let text): return text
        case .array(let elements):
            var words: [String] = []
            for element in elements {
                guard let word = try element.typed(for: path), !word.contains(",") else { break }
                words.append(word)
            }
            if words.count == elements.count { return words.joined(separator: ",") }
            fallthrough
        case .object: throw .badRequest("The value of \(path) is one, or a list of them")
        }
    }
}
