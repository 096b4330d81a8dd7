import JSON
import MeshModel
import Nettle
import Routes

// The bodies of the channel database (Contract 3.13), checked in MeshMonitor's order and more strictly: what is no key
// must not look like one, and what has the wrong type is refused instead of converted.

/// The body of `POST channel-database`.
struct PostedChannelEntry: Equatable {
    let name: String
    let psk: [UInt8]
    let description: String?
    let isEnabled: Bool
    let enforcesName: Bool

    init(_ body: JSONValue) throws(APIError) {
        guard let name = body["name"]?.string, !name.trimmed.isEmpty else {
            throw .badRequest("name is required and must be a string")
        }
        self.name = try Field.name(name)
        guard let psk = body["psk"]?.string, !psk.isEmpty else {
            throw .badRequest("psk is required and must be a Base64-encoded string")
        }
        self.psk = try Field.psk(psk, length: body["pskLength"])
        description = try Field.description(body["description"])
        isEnabled = try Field.flag(body["isEnabled"], "isEnabled") ?? true
        enforcesName = try Field.flag(body["enforceNameValidation"], "enforceNameValidation") ?? false
    }
}

/// The body of `PUT channel-database/{id}`: what is to be changed.
struct ChannelEntryChange: Equatable {
    private var name: String?
    private var psk: [UInt8]?
    /// `.some(nil)`: to none.
    private var description: String??
    private var isEnabled: Bool?
    private var enforcesName: Bool?
    private var sortOrder: Int64?

    init(_ body: JSONValue) throws(APIError) {
        if let value = body["name"] {
            guard let text = value.string, !text.trimmed.isEmpty else { throw .badRequest("name must be a string") }
            name = try Field.name(text)
        }
        if let value = body["psk"] {
            guard let text = value.string else { throw .badRequest("psk must be a Base64-encoded string") }
            psk = try Field.psk(text, length: body["pskLength"])
        } else if body["pskLength"] != nil {
            throw .badRequest("pskLength cannot be changed without also providing psk")
        }
        // The one field for which null is a value.
        if case .object(let members) = body, members["description"] != nil {
            description = .some(try Field.description(body["description"]))
        }
        isEnabled = try Field.flag(body["isEnabled"], "isEnabled")
        enforcesName = try Field.flag(body["enforceNameValidation"], "enforceNameValidation")
        if let value = body["sortOrder"] {
            guard let number = value.integer else { throw .badRequest("sortOrder must be an integer") }
            sortOrder = number
        }
        guard
            [name != nil, psk != nil, description != nil, isEnabled != nil, enforcesName != nil, sortOrder != nil]
                .contains(true)
        else { throw .badRequest("No valid update fields provided") }
    }

    func apply(to entry: inout ChannelEntry) {
        entry.name = name ?? entry.name
        entry.psk = psk ?? entry.psk
        entry.description = description ?? entry.description
        entry.isEnabled = isEnabled ?? entry.isEnabled
        entry.enforcesName = enforcesName ?? entry.enforcesName
        entry.sortOrder = sortOrder ?? entry.sortOrder
    }
}

/// The body of `PUT channel-database/reorder`: the new places of some entries.
struct ChannelEntryOrder: Equatable {
    struct Place: Equatable {
        let id: Int64
        let sortOrder: Int64
    }

    let places: [Place]

    init(_ body: JSONValue) throws(APIError) {
        guard let rows = body["channels"]?.array else { throw .badRequest("channels must be an array") }
        var places: [Place] = []
        for row in rows {
            guard let id = row["id"]?.integer else { throw .badRequest("Each channel entry must have a numeric id") }
            guard let sortOrder = row["sortOrder"]?.integer else {
                throw .badRequest("Each channel entry must have a numeric sortOrder")
            }
            places.append(Place(id: id, sortOrder: sortOrder))
        }
        guard !places.isEmpty else { throw .badRequest("At least one channel entry is required") }
        self.places = places
    }
}

private enum Field {
    /// Bytes. A radio's channel names have at most 11; a name that is not enforced may say more.
    private static let longestName = 100
    private static let longestDescription = 1_000

    /// Blanks at the ends stay: they count in the channel's hash.
    static func name(_ text: String) throws(APIError) -> String {
        guard text.utf8.count <= longestName else { throw .badRequest("name must be at most \(longestName) bytes") }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .badRequest("name must not contain control characters")
        }
        return text
    }

    /// Apps and links write keys in two alphabets, with padding or without.
    static func psk(_ text: String, length: JSONValue?) throws(APIError) -> [UInt8] {
        guard let psk = Base64.decodedLeniently(text.trimmed) else {
            throw .badRequest("psk must be a valid Base64-encoded string")
        }
        guard [1, 16, 32].contains(psk.count) else {
            throw .badRequest(
                "PSK must be 1 byte (shorthand), 16 bytes (AES-128), or 32 bytes (AES-256) when decoded")
        }
        guard psk != [0] else {
            throw .badRequest("PSK value 0 means no encryption, which is not supported for channel database")
        }
        if let length {
            guard let number = length.integer else { throw .badRequest("pskLength must be a number") }
            guard number == psk.count else {
                throw .badRequest("pskLength (\(number)) does not match actual PSK length (\(psk.count))")
            }
        }
        return psk
    }

    static func description(_ value: JSONValue?) throws(APIError) -> String? {
        guard let value else { return nil }
        guard let text = value.string, text.utf8.count <= longestDescription else {
            throw .badRequest("description must be a string of at most \(longestDescription) bytes")
        }
        return text
    }

    static func flag(_ value: JSONValue?, _ key: String) throws(APIError) -> Bool? {
        guard let value else { return nil }
        guard let flag = value.bool else { throw .badRequest("\(key) must be true or false") }
        return flag
    }
}
