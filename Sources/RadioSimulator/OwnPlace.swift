import MeshModel
import MeshProtocol

/// Where the radio is: what a host tells it of that, and what it tells the mesh (recordings 12-admin, 27-mixed-27).
extension Radio {
    /// The node info of the radio itself shows the place as exactly as the host gave it, without a time.
    mutating func fixPosition(_ bytes: [UInt8]) -> LocalAnswer {
        guard case .position(let new) = PacketContent(MeshData(port: .position, payload: bytes)) else { return .nobody }
        position = Position(latitudeI: new.latitudeI, longitudeI: new.longitudeI, altitude: new.altitude)
        settings.isPositionFixed = true
        switch options.firmware {
        case .v2_8, .v2_8_1: tellPosition()
        case .v2_7:
            // Twice: at once, and when the smart broadcast finds that the radio has moved.
            agenda.add(.ownPosition, at: now + 0.005)
            agenda.add(.ownPosition, at: now + 3.75)
        }
        return .done
    }

    mutating func unfixPosition() {
        position = Position()
        settings.isPositionFixed = false
    }

    /// A phone says where it is, which is where its radio is.
    mutating func takePosition(of host: Position) {
        guard host.hasFix, !settings.isPositionFixed else { return }
        position = Position(
            latitudeI: host.latitudeI, longitudeI: host.longitudeI, altitude: host.altitude, time: host.time,
            locationSource: 3)
    }

    /// In its own node info a radio without a fix has a position all the same: the time, or nothing.
    var shownPosition: Position {
        if position.hasFix { return position }
        return options.firmware != .v2_7 ? Position(time: epoch(at: now)) : Position()
    }

    /// The radio tells everybody where it is, and its host too, both only as precisely as the channel says.
    mutating func tellPosition() {
        guard
            let channel = channels.first(where: { $0.role != .disabled && ($0.positionPrecision ?? 0) > 0 }),
            let place = place(for: channel)
        else { return }
        let id = ids(for: UInt64(now * 1e6) ^ 0x706C_6163_6500)
        let packet = MeshPacket(
            from: number, to: .broadcast, channel: UInt32(channel.index), id: id,
            payload: .decoded(MeshData(port: .position, payload: place.encoded(), bitfield: 0)), hopLimit: 3,
            hopStart: 3, priority: 10, relayNode: UInt32(number.relayByte))
        arrive(packet, after: 0.005)
        guard settings.region != 0, queued < Self.queueCapacity, let data = packet.decoded else { return }
        transmit(packet, data)
        api.add(queueStatus(0, for: id))
    }

    /// Nil: it is not shared there, which is how 2.8 sets a channel up.
    func place(for channel: Channel) -> Position? {
        guard position.hasFix, let latitude = position.latitudeI, let longitude = position.longitudeI
        else { return nil }
        var bits = min(channel.positionPrecision ?? 0, 32)
        // A channel whose key everybody has (SerialReference 4.3).
        if options.firmware != .v2_7, channel.psk.count <= 1 { bits = min(bits, 15) }
        guard bits > 0 else { return nil }
        return Position(
            latitudeI: Population.clamped(latitude, bits: bits), longitudeI: Population.clamped(longitude, bits: bits),
            altitude: position.altitude, time: epoch(at: now), locationSource: 1, groundSpeed: 0, groundTrack: 0,
            precisionBits: bits)
    }
}
