import MeshModel

// What hearing from a node changes in its row. The rules are MeshMonitor's (Contract 3.3) and what
// radios make necessary (SerialReference 2.4, 5.4, 7.1 and 14.9): newer beats older, absent never blanks what is known,
// and a replayed value is not a new reception.

extension Node {
    /// A packet of this node reached our radio just now.
    ///
    /// - Parameter now: host milliseconds.
    mutating func heard(_ packet: MeshPacket, at now: Int64) {
        let seconds = now / 1000
        // Also when that is earlier than before: the host's clock was ahead then.
        lastHeard = seconds
        viaMQTT = packet.viaMQTT
        transport = packet.transport.rawValue
        switch packet.transport {
        case .mqtt: lastHeardMQTT = seconds
        case .multicastUDP: lastHeardUDP = seconds
        case .internal: break
        default: lastHeardRF = seconds
        }
        // -128 stands for "unknown".
        if let strength = packet.rxRSSI, strength != -128 {
            rssi = Int(strength)
            snr = packet.rxSNR.decimalDouble
        }
        if let hops = packet.hopsAway {
            if packet.hopStart > 0 { lastMessageHops = hops }
            if packet.transport == .lora, !packet.viaMQTT { hopsAway = hops }
        }
        if packet.pkiEncrypted {
            lastPKIPacket = now
            if let key = packet.publicKey { saw(key, .proven, at: now) }
        } else if packet.decoded != nil, packet.channel < ChannelEntry.channelOffset || !isOnChannelOfRadio {
            // A channel on which we can only listen is not where the node is reached.
            channel = Int(packet.channel)
        }
    }

    private var isOnChannelOfRadio: Bool { channel.map { $0 < ChannelEntry.channelOffset } ?? false }

    /// The node introduced itself over the air.
    mutating func introduced(_ user: User, at now: Int64) {
        takeNames(of: user)
        if let key = user.publicKey { saw(key, .announced, at: now) }
    }

    private mutating func takeNames(of user: User) {
        if !user.longName.isEmpty { longName = user.longName }
        if !user.shortName.isEmpty { shortName = user.shortName }
        // A request for our NodeInfo can carry an empty User: nothing to learn from it.
        guard !user.longName.isEmpty || !user.shortName.isEmpty || user.hardwareModel != 0 else { return }
        if user.hardwareModel != 0 { hardwareModel = user.hardwareModel }
        role = user.role
        // All zero from firmware 2.8 on.
        if user.macAddress.contains(where: { $0 != 0 }) { macAddress = user.macAddress }
        isLicensed = user.isLicensed
        isUnmessagable = user.isUnmessagable ?? Self.infrastructureRoles.contains(user.role)
    }

    /// ROUTER, REPEATER, TRACKER, SENSOR, TAK_TRACKER, ROUTER_LATE: nobody reads messages there, unless the node says so.
    private static let infrastructureRoles: Set<UInt32> = [2, 4, 5, 6, 10, 11]

    /// The radio's own memory of the node: a snapshot that live packets may have overtaken.
    ///
    /// - Parameter isOwn: it is the radio itself, which knows its key best.
    mutating func remembered(by info: NodeInfo, isOwn: Bool, at now: Int64) {
        if let user = info.user {
            takeNames(of: user)
            if let key = user.publicKey {
                if isOwn { pin(key) } else { saw(key, .remembered, at: now) }
            }
        }
        // Only what was changed at the radio itself counts: it need not know what was changed here. And one that has
        // forgotten the node's key, and heard it again since, has forgotten its marks as well: nobody changed them.
        let hasForgotten = publicKey != nil && info.user?.publicKey == nil
        if info.isFavorite != isFavoriteOnRadio, !hasForgotten { isFavorite = info.isFavorite }
        isFavoriteOnRadio = info.isFavorite
        if info.isIgnored != isIgnoredOnRadio, !hasForgotten { isIgnored = info.isIgnored }
        isIgnoredOnRadio = info.isIgnored
        isMuted = info.isMuted
        // What was compared at the radio is the key that the radio has; what was compared here it need not know.
        if info.isKeyManuallyVerified, info.user?.publicKey == publicKey { isKeyManuallyVerified = true }
        hasXEdDSASigned = info.hasXEdDSASigned

        let heardAt = min(Int64(info.lastHeard), now / 1000)
        let isNewer = lastHeard == nil || heardAt >= lastHeard!
        if heardAt > 0, isNewer { lastHeard = heardAt }
        if isNewer || hopsAway == nil, let hops = info.hopsAway { hopsAway = hops }
        if isNewer || snr == nil, info.snr != 0 { snr = info.snr.decimalDouble }
        if isNewer || channel == nil { channel = Int(info.channel) }
        if isNewer || viaMQTT == nil { viaMQTT = info.viaMQTT }
        if let position = info.position {
            let time = position.reportTime(before: now) ?? 0
            // The radio knows best where it is itself, and of a fixed place it does not say since when.
            if isOwn, position.hasFix {
                // Where it is known to be already, more is known than it says: since when, and how it knows.
                if latitude != position.latitude || longitude != position.longitude {
                    place(position, on: nil, at: time)
                }
                positionPrecisionBits = Self.precision(of: position)
            } else {
                located(position, on: nil, at: time, now: now)
            }
        }
        if let metrics = info.deviceMetrics, isNewer || batteryLevel == nil { measured(metrics) }
    }

    /// Whether the radio has what is a favourite here, as its list has just told. A full list takes no more.
    ///
    /// - Parameter isTold: the radio has been told of it.
    mutating func lookForFavorite(isTold: Bool, at now: Int64) {
        favoriteMissingSince = isFavorite && !isFavoriteOnRadio && isTold ? favoriteMissingSince ?? now : nil
    }

    /// A position report, of the host millisecond `time`, 0 when nobody knows; an older one than the known changes
    /// nothing, unless that one is of a time to come: the clock was ahead.
    mutating func located(_ position: Position, on channel: Int?, at time: Int64, now: Int64) {
        let known = positionTimestamp ?? 0
        guard position.hasFix, time >= known || known > now else { return }
        place(position, on: channel, at: time)
    }

    private mutating func place(_ position: Position, on channel: Int?, at time: Int64) {
        latitude = position.latitude
        longitude = position.longitude
        altitude = position.altitude.map(Int.init) ?? altitude
        positionTimestamp = time > 0 ? time : nil
        positionChannel = channel ?? positionChannel
        positionPrecisionBits = position.precisionBits ?? positionPrecisionBits
        positionLocationSource = position.locationSource
    }

    /// Whether its known place has more bits than this one.
    func isLocated(moreExactlyThan position: Position) -> Bool {
        guard latitude != nil, let bits = positionPrecisionBits else { return false }
        return bits > Self.precision(of: position)
    }

    /// Firmware before 2.5 does not say how exact a position is: then it is exact.
    private static func precision(of position: Position) -> UInt32 {
        guard let bits = position.precisionBits, bits > 0 else { return 32 }
        return min(bits, 32)
    }

    /// Device metrics, or the radio's own statistics, which repeat some of them.
    mutating func measured(_ telemetry: Telemetry) {
        guard telemetry.kind == .device || telemetry.kind == .localStats else { return }
        if let level = telemetry["batteryLevel"] { batteryLevel = Int(level) }
        // 2.7 sends -0.001 V for "unknown".
        if let volts = telemetry["voltage"], volts >= 0 { voltage = volts }
        if let percent = telemetry["channelUtilization"] { channelUtilization = percent }
        if let percent = telemetry["airUtilTx"] { airUtilTx = percent }
        if let seconds = telemetry["uptimeSeconds"] { uptimeSeconds = Int64(seconds) }
    }
}

extension Position {
    /// Host milliseconds of the fix as the sender's clock had it, when that is plausible and not after `now`.
    func reportTime(before now: Int64) -> Int64? {
        for claimed in [timestamp, time] {
            if let claimed, Int64(claimed) >= PlausibleTime.earliest, Int64(claimed) * 1000 <= now {
                return Int64(claimed) * 1000
            }
        }
        return nil
    }
}
