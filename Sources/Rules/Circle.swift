import Folders
import Glibc
import MeshModel

/// A circle on the Earth.
public struct Circle: Hashable, Sendable {
    /// Degrees.
    public var latitude: Double
    public var longitude: Double
    public var metres: Double
    /// What people call it; nil if it has no name.
    public var name: String?

    /// Bytes of a name.
    static let longestName = 60

    enum Side { case inside, outside, unsure }

    /// Where a reported point is. It is outside only if the whole area to which the sender has blurred it is.
    ///
    /// - Parameter precisionBits: nil, 0 and 32 mean exact.
    func side(_ latitude: Double, _ longitude: Double, precisionBits: UInt32?) -> Side {
        let distance = distance(latitude, longitude)
        if distance <= metres { return .inside }
        return distance - Self.blur(precisionBits) > metres ? .outside : .unsure
    }

    /// Metres from the middle, along a great circle.
    func distance(_ latitude: Double, _ longitude: Double) -> Double {
        Self.distance((self.latitude, self.longitude), (latitude, longitude))
    }

    /// By the haversine formula: right at the poles and across the date line.
    static func distance(_ one: (Double, Double), _ other: (Double, Double)) -> Double {
        let radians = Double.pi / 180
        let (north, east) = ((other.0 - one.0) * radians, (other.1 - one.1) * radians)
        let square =
            sin(north / 2) * sin(north / 2) + cos(one.0 * radians) * cos(other.0 * radians) * sin(east / 2)
            * sin(east / 2)
        return 2 * earth * asin(min(1, square.squareRoot()))
    }

    /// How many metres a point may be off: half of the cell that the kept bits leave, as the apps show it.
    static func blur(_ bits: UInt32?) -> Double {
        guard let bits, (1...31).contains(bits) else { return 0 }
        return Double(UInt64(1) << UInt64(31 - bits)) * 1e-7 * earth * .pi / 180
    }

    /// The Earth's radius in metres.
    private static let earth = 6_371_008.8
}

extension Circle {
    /// Parses what follows a trigger's words, such as "47.05,8.31 2 km" or "47.05,8.31 2 km Summit hut".
    init(_ text: String, for trigger: String) throws(BadValue) {
        let example = "\(trigger) 47.05,8.31 2 km"
        let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        // What comes behind the radius may have commas, too.
        guard parts.count == 2,
            !parts[1].split(whereSeparator: \.isBlank).prefix(2).contains(where: { $0.contains(",") })
        else {
            throw BadValue(
                "\"\(text)\" is no circle: one middle and one radius, no polygon; write for example: \(example)")
        }
        let words = parts[1].split(whereSeparator: \.isBlank).map(String.init)
        let north = parts[0].split(whereSeparator: \.isBlank).map(String.init)
        guard north.count == 1, let latitude = decimal(north[0]), abs(latitude) <= 90, let east = words.first,
            let longitude = decimal(east), abs(longitude) <= 180
        else {
            throw BadValue("\"\(text)\" has no place; write latitude and longitude in degrees, such as: \(example)")
        }
        let rest = words.dropFirst()
        // "2 km" are two words, "2km" is one.
        let isApart = rest.dropFirst().first == "km" || rest.dropFirst().first == "m"
        let name = rest.dropFirst(isApart ? 2 : 1).joined(separator: " ")
        guard name.utf8.count <= Self.longestName else {
            throw BadValue("the circle's name is longer than \(Self.longestName) bytes; write a shorter one")
        }
        self.init(
            latitude: latitude, longitude: longitude,
            metres: try lengthInMetres(rest.prefix(isApart ? 2 : 1).joined(separator: " "), example: example),
            name: name.isEmpty ? nil : name)
    }

    var shown: String { name ?? "\(metres.shownLength) around \(latitude.shownDegrees),\(longitude.shownDegrees)" }
}

/// "2 km" or "500m". From 10 m to half around the Earth.
func lengthInMetres(_ text: String, example: String) throws(BadValue) -> Double {
    let units: [(String, Double)] = [("km", 1_000), ("m", 1)]
    for (unit, metres) in units where text.hasSuffix(unit) {
        let number = String(text.dropLast(unit.count).reversed().drop(while: \.isBlank).reversed())
        guard let value = decimal(number), (10...20_000_000).contains(value * metres) else { break }
        return value * metres
    }
    throw BadValue("\"\(text)\" is no distance; write m or km behind a number, 10 m to 20000 km, such as: \(example)")
}

extension Double {
    /// In metres, or in kilometres from 1 km on.
    var shownLength: String {
        if self < 1_000 { return "\(Int64(rounded())) m" }
        return "\(((self / 100).rounded() / 10).shown) km"
    }

    fileprivate var shownDegrees: String {
        let text = "\((self * 100_000).rounded() / 100_000)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
