import CMeshtastic
import MeshModel

extension Position {
    init(_ m: Meshtastic__Position) {
        self.init(
            latitudeI: m.has_latitude_i != 0 ? m.latitude_i : nil,
            longitudeI: m.has_longitude_i != 0 ? m.longitude_i : nil,
            altitude: m.has_altitude != 0 ? m.altitude : nil, time: m.time == 0 ? nil : m.time,
            locationSource: m.location_source.rawValue, altitudeSource: m.altitude_source.rawValue,
            timestamp: m.timestamp == 0 ? nil : m.timestamp, timestampMillisAdjust: m.timestamp_millis_adjust,
            altitudeHAE: m.has_altitude_hae != 0 ? m.altitude_hae : nil,
            altitudeGeoidalSeparation: m.has_altitude_geoidal_separation != 0 ? m.altitude_geoidal_separation : nil,
            pdop: m.pdop, hdop: m.hdop, vdop: m.vdop, gpsAccuracy: m.gps_accuracy,
            groundSpeed: m.has_ground_speed != 0 ? m.ground_speed : nil,
            groundTrack: m.has_ground_track != 0 ? m.ground_track : nil, fixQuality: m.fix_quality,
            fixType: m.fix_type, satsInView: m.sats_in_view == 0 ? nil : m.sats_in_view, sensorID: m.sensor_id,
            nextUpdate: m.next_update, sequenceNumber: m.seq_number,
            precisionBits: m.precision_bits == 0 ? nil : m.precision_bits)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Position> {
        arena.make(meshtastic__position__init) { m in
            (m.has_latitude_i, m.latitude_i) = explicit(latitudeI)
            (m.has_longitude_i, m.longitude_i) = explicit(longitudeI)
            (m.has_altitude, m.altitude) = explicit(altitude)
            (m.has_time, m.time) = implicit(time ?? 0)
            (m.has_location_source, m.location_source) = implicit(enum: locationSource)
            (m.has_altitude_source, m.altitude_source) = implicit(enum: altitudeSource)
            (m.has_timestamp, m.timestamp) = implicit(timestamp ?? 0)
            (m.has_timestamp_millis_adjust, m.timestamp_millis_adjust) = implicit(timestampMillisAdjust)
            (m.has_altitude_hae, m.altitude_hae) = explicit(altitudeHAE)
            (m.has_altitude_geoidal_separation, m.altitude_geoidal_separation) = explicit(altitudeGeoidalSeparation)
            (m.has_pdop, m.pdop) = implicit(pdop)
            (m.has_hdop, m.hdop) = implicit(hdop)
            (m.has_vdop, m.vdop) = implicit(vdop)
            (m.has_gps_accuracy, m.gps_accuracy) = implicit(gpsAccuracy)
            (m.has_ground_speed, m.ground_speed) = explicit(groundSpeed)
            (m.has_ground_track, m.ground_track) = explicit(groundTrack)
            (m.has_fix_quality, m.fix_quality) = implicit(fixQuality)
            (m.has_fix_type, m.fix_type) = implicit(fixType)
            (m.has_sats_in_view, m.sats_in_view) = implicit(satsInView ?? 0)
            (m.has_sensor_id, m.sensor_id) = implicit(sensorID)
            (m.has_next_update, m.next_update) = implicit(nextUpdate)
            (m.has_seq_number, m.seq_number) = implicit(sequenceNumber)
            (m.has_precision_bits, m.precision_bits) = implicit(precisionBits ?? 0)
        }
    }

    /// The payload of a POSITION packet.
    public func encoded() -> [UInt8] { packed(wire) }
}
