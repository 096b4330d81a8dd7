/// The position that a person sets on a radio without GPS.
public struct FixedPlace: Hashable, Sendable {
    /// 1e-7 degrees.
    public let latitudeI: Int32
    public let longitudeI: Int32
    /// Metres above mean sea level.
    public let altitude: Int32?

    /// Nil: there is no such place, or it is 0/0, which means "no position" everywhere in the mesh.
    ///
    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - altitude: in metres.
    public init?(latitude: Double, longitude: Double, altitude: Int? = nil) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude),
            altitude.map({ (-100_000...100_000).contains($0) }) ?? true
        else { return nil }
        latitudeI = Int32((latitude * 1e7).rounded())
        longitudeI = Int32((longitude * 1e7).rounded())
        self.altitude = altitude.map { Int32($0) }
        if latitudeI == 0, longitudeI == 0 { return nil }
    }

    /// Nil: it says no place.
    public init?(_ position: Position) {
        guard position.hasFix, let latitudeI = position.latitudeI, let longitudeI = position.longitudeI else {
            return nil
        }
        (self.latitudeI, self.longitudeI, altitude) = (latitudeI, longitudeI, position.altitude)
    }

    public var latitude: Double { Double(latitudeI) / 1e7 }
    public var longitude: Double { Double(longitudeI) / 1e7 }
    public var position: Position { Position(latitudeI: latitudeI, longitudeI: longitudeI, altitude: altitude) }
}
