/// A position report (Position). Nil: the field was absent (or 0, where the schema knows no presence).
public struct Position: Hashable, Sendable {
    /// 1e-7 degrees.
    public var latitudeI: Int32?
    public var longitudeI: Int32?
    /// Metres above mean sea level.
    public var altitude: Int32?
    /// Seconds since 1970, the sender's clock.
    public var time: UInt32?
    /// LocSource: 0 unset, 1 manual, 2 internal, 3 external.
    public var locationSource: UInt32
    /// AltSource: 0 unset, 1 manual, 2 internal, 3 external, 4 barometric.
    public var altitudeSource: UInt32
    /// Seconds since 1970, of the fix.
    public var timestamp: UInt32?
    public var timestampMillisAdjust: Int32
    /// Metres above the ellipsoid.
    public var altitudeHAE: Int32?
    public var altitudeGeoidalSeparation: Int32?
    /// Dilutions of precision in hundredths.
    public var pdop: UInt32
    public var hdop: UInt32
    public var vdop: UInt32
    /// Millimetres.
    public var gpsAccuracy: UInt32
    /// Kilometres per hour: what the firmware fills in, whatever the schema says.
    public var groundSpeed: UInt32?
    /// 1e-5 degrees as the firmware sends it, hundredths as the schema says: above 36,000 it is the former.
    public var groundTrack: UInt32?
    public var fixQuality: UInt32
    public var fixType: UInt32
    public var satsInView: UInt32?
    public var sensorID: UInt32
    public var nextUpdate: UInt32
    public var sequenceNumber: UInt32
    /// 32 exact, 1 to 31 the bits that were kept, 0 not shared or unknown.
    public var precisionBits: UInt32?

    public init(
        latitudeI: Int32? = nil, longitudeI: Int32? = nil, altitude: Int32? = nil, time: UInt32? = nil,
        locationSource: UInt32 = 0, altitudeSource: UInt32 = 0, timestamp: UInt32? = nil,
        timestampMillisAdjust: Int32 = 0, altitudeHAE: Int32? = nil, altitudeGeoidalSeparation: Int32? = nil,
        pdop: UInt32 = 0, hdop: UInt32 = 0, vdop: UInt32 = 0, gpsAccuracy: UInt32 = 0, groundSpeed: UInt32? = nil,
        groundTrack: UInt32? = nil, fixQuality: UInt32 = 0, fixType: UInt32 = 0, satsInView: UInt32? = nil,
        sensorID: UInt32 = 0, nextUpdate: UInt32 = 0, sequenceNumber: UInt32 = 0, precisionBits: UInt32? = nil
    ) {
        self.latitudeI = latitudeI
        self.longitudeI = longitudeI
        self.altitude = altitude
        self.time = time
        self.locationSource = locationSource
        self.altitudeSource = altitudeSource
        self.timestamp = timestamp
        self.timestampMillisAdjust = timestampMillisAdjust
        self.altitudeHAE = altitudeHAE
        self.altitudeGeoidalSeparation = altitudeGeoidalSeparation
        self.pdop = pdop
        self.hdop = hdop
        self.vdop = vdop
        self.gpsAccuracy = gpsAccuracy
        self.groundSpeed = groundSpeed
        self.groundTrack = groundTrack
        self.fixQuality = fixQuality
        self.fixType = fixType
        self.satsInView = satsInView
        self.sensorID = sensorID
        self.nextUpdate = nextUpdate
        self.sequenceNumber = sequenceNumber
        self.precisionBits = precisionBits
    }

    /// Coordinates that can be shown: both present, in range, not 0/0, and not what a receiving radio makes of 0/0.
    ///
    /// On publicly keyed channels the receiving radio clamps a position to p bits and moves it to the middle of its
    /// cell, so "no fix" arrives as 2^(31-p) in both fields (2.8 does so with 15 bits: 65536).
    public var hasFix: Bool {
        guard let latitudeI, let longitudeI else { return false }
        guard (-900_000_000...900_000_000).contains(latitudeI), (-1_800_000_000...1_800_000_000).contains(longitudeI)
        else { return false }
        if latitudeI == 0, longitudeI == 0 { return false }
        if let bits = precisionBits, (1...31).contains(bits) {
            let middle = Int32(truncatingIfNeeded: Int64(1) << Int64(31 - bits))
            if latitudeI == middle, longitudeI == middle { return false }
        }
        return true
    }

    /// Degrees.
    public var latitude: Double? { hasFix ? Double(latitudeI!) / 1e7 : nil }
    public var longitude: Double? { hasFix ? Double(longitudeI!) / 1e7 : nil }

    /// Degrees, 0 to 360.
    public var course: Double? {
        groundTrack.map { $0 > 36_000 ? Double($0) / 1e5 : Double($0) / 100 }
    }
}
