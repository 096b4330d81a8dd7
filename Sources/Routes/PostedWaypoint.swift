import JSON
import MeshModel

/// What a client or a command says of a waypoint, the body of `POST` and `PUT waypoints`: what is to be said of a point. What a `PUT` leaves out stays as it is.
public struct PostedWaypoint: Sendable {
    private var name: String?
    private var description: String?
    private var latitude: Int32?
    private var longitude: Int32?
    private var icon: UInt32?
    private var expire: UInt32?
    public let isLocked: Bool?
    /// 0 to 7.
    public let channel: Int?

    /// Bytes of UTF-8: the protocol's fields hold a zero behind them (`mesh.options`: 30 and 100).
    public static let longestName = 29
    public static let longestDescription = 99

    /// - Parameters:
    ///   - isNew: name and place must be there.
    ///   - now: seconds since 1970.
    public init(_ body: JSONValue?, isNew: Bool, now: Int64) throws(APIError) {
        guard case .object(let members)? = body else { throw .badRequest("The request body must be a JSON object") }
        name = try Self.text(members["name"], "name", longest: Self.longestName)
        if let name, name.isEmpty { throw .badRequest("name must not be empty") }
        // The one text that may be taken away.
        let words = members["description"].map { $0 == .null ? .string("") : $0 }
        description = try Self.text(words, "description", longest: Self.longestDescription)
        latitude = try Self.degrees(members["latitude"], "latitude", most: 90)
        longitude = try Self.degrees(members["longitude"], "longitude", most: 180)
        guard (latitude == nil) == (longitude == nil) else {
            throw .badRequest("latitude and longitude belong together")
        }
        icon = try Self.icon(members["icon"])
        expire = try Self.expire(members["expireAt"], now: now)
        isLocked = try Self.flag(members["locked"])
        channel = try Self.channel(members["channel"])
        if isNew, name == nil || latitude == nil {
            throw .badRequest("name, latitude and longitude are required")
        }
    }

    public func apply(to waypoint: inout Waypoint) {
        waypoint.name = name ?? waypoint.name
        waypoint.description = description ?? waypoint.description
        waypoint.latitudeI = latitude ?? waypoint.latitudeI
        waypoint.longitudeI = longitude ?? waypoint.longitudeI
        waypoint.icon = icon ?? waypoint.icon
        waypoint.expire = expire ?? waypoint.expire
    }

    private static func text(_ value: JSONValue?, _ key: String, longest: Int) throws(APIError) -> String? {
        guard let value else { return nil }
        guard let text = value.string?.withoutControlCharacters.trimmed else {
            throw .badRequest("\(key) must be text")
        }
        guard text.utf8.count <= longest else { throw .badRequest("\(key) must not be longer than \(longest) bytes") }
        return text
    }

    /// In 1e-7 degrees.
    private static func degrees(_ value: JSONValue?, _ key: String, most: Double) throws(APIError) -> Int32? {
        guard let value else { return nil }
        guard case .number(let number) = value, abs(number) <= most else {
            throw .badRequest("\(key) must be a number from -\(Int(most)) to \(Int(most))")
        }
        return Int32((number * 1e7).rounded())
    }

    /// One character, as it stands on the map; null and an empty text: none.
    private static func icon(_ value: JSONValue?) throws(APIError) -> UInt32? {
        switch value {
        case nil: return nil
        case .null, .string(""): return 0
        case .string(let text):
            // A variation selector says how to draw it, and has no room in the packet.
            let scalars = text.unicodeScalars.filter { $0 != "\u{FE0F}" }
            if scalars.count == 1, let scalar = scalars.first, scalar.value > 0x20,
                !(0x7F...0x9F).contains(scalar.value)
            {
                return scalar.value
            }
        default: break
        }
        throw .badRequest("icon must be one character, such as 🏕")
    }

    /// Seconds since 1970; null and 0: never. The protocol's last second means that too.
    private static func expire(_ value: JSONValue?, now: Int64) throws(APIError) -> UInt32? {
        switch value {
        case nil: return nil
        case .null, .number(0): return 0
        default:
            guard let time = value?.integer, time > now, time < Int64(Int32.max) else {
                throw .badRequest("expireAt must be a time to come in seconds since 1970, or null")
            }
            return UInt32(time)
        }
    }

    private static func flag(_ value: JSONValue?) throws(APIError) -> Bool? {
        guard let value else { return nil }
        guard let flag = value.bool else { throw .badRequest("locked must be true or false") }
        return flag
    }

    private static func channel(_ value: JSONValue?) throws(APIError) -> Int? {
        guard let value else { return nil }
        guard let number = value.integer, (0...7).contains(number) else {
            throw .badRequest("channel must be a number between 0 and 7")
        }
        return Int(number)
    }
}

extension Waypoint {
    /// The character that stands on the map; nil: none, or what is no character that can be shown.
    public var iconText: String? {
        guard icon >= 0x20, !(0x7F...0x9F).contains(icon), let scalar = Unicode.Scalar(icon) else { return nil }
        return String(Character(scalar))
    }
}
