import CMeshtastic
import Foundation
import MeshModel

// What a node's row should be, put together from the oracle by the rules for what hearing from a node changes: newer
// beats older, absent never blanks what is known, a replayed value is no reception, a packet under our own number that
// came over the air is somebody else's, and the first key stays.

struct ExpectedNode {
    var longName: String?
    var shortName: String?
    var hardwareModel: UInt32?
    var role: UInt32?
    var macAddress: [UInt8]?
    var publicKey: [UInt8]?
    var keyMismatch = false
    var isLicensed = false
    var isUnmessagable = false
    var hopsAway: UInt32?
    var lastMessageHops: UInt32?
    var viaMQTT: Bool?
    var lastHeard: Int64?
    var snr: Double?
    var rssi: Int?
    var channel: Int?
    var latitudeI: Int32?
    var longitudeI: Int32?
    var altitude: Int32?
    var precisionBits: UInt32?
    var positionTime: Int64 = 0
    var batteryLevel: Double?
    var voltage: Double?
    var channelUtilization: Double?
    var airUtilTx: Double?
    var uptime: Double?
    var isFavorite = false
    var isIgnored = false
    var isMuted = false
    var isKeyManuallyVerified = false
    var hasXEdDSASigned = false
    var status: String?
    var isStoreForwardServer = false

    var isNamed: Bool { longName != nil || shortName != nil || hardwareModel != nil }

    /// The radio's own memory.
    mutating func remember(_ info: Fields, isOwn: Bool, at now: Int64) {
        if info.has("user") {
            let user = info["user"]
            introduce(user)
            if isOwn, let key = user.bytes("public_key"), !key.isEmpty {
                publicKey = key
            } else {
                see(user)
            }
        }
        isFavorite = info.bool("is_favorite")
        isIgnored = info.bool("is_ignored")
        isMuted = info.bool("is_muted")
        isKeyManuallyVerified = info.bool("is_key_manually_verified")
        hasXEdDSASigned = info.bool("has_xeddsa_signed")
        let heardAt = min(Int64(info.unsigned("last_heard")), now / 1000)
        let isNewer = lastHeard.map { heardAt >= $0 } ?? true
        if heardAt > 0, isNewer { lastHeard = heardAt }
        if isNewer || hopsAway == nil, info.has("hops_away") { hopsAway = info.unsigned("hops_away") }
        if isNewer || snr == nil, info.double("snr") != 0 { snr = info.double("snr") }
        if isNewer || channel == nil { channel = Int(info.unsigned("channel")) }
        if isNewer || viaMQTT == nil { viaMQTT = info.bool("via_mqtt") }
        if info.has("position") {
            let position = info["position"]
            // The radio knows best where it is itself.
            if isOwn, Self.hasFix(position) { (positionTime, precisionBits) = (0, 32) }
            locate(position, at: Self.reportTime(position, before: now))
        }
        if info.has("device_metrics"), isNewer || batteryLevel == nil { measure(info["device_metrics"]) }
        if isOwn { lastHeard = now / 1000 }
    }

    /// A packet came just now.
    mutating func hear(_ packet: OraclePacket, at now: Int64) {
        guard !packet.isReplay else { return }
        lastHeard = now / 1000
        viaMQTT = packet.viaMQTT
        if let strength = packet.rxRSSI { (rssi, snr) = (strength, packet.rxSNR) }
        if let hops = packet.hopsAway {
            if packet.hopStart > 0 { lastMessageHops = hops }
            if packet.transport == 1, !packet.viaMQTT { hopsAway = hops }
        }
        if !packet.pkiEncrypted {
            channel = Int(packet.channel)
        } else if let key = packet.publicKey {
            // Only its owner can encrypt with it: that ends a doubt.
            if publicKey == nil || publicKey == key {
                (publicKey, keyMismatch) = (key, false)
            } else {
                keyMismatch = true
            }
        }
    }

    mutating func apply(_ packet: OraclePacket, _ content: Fields, isOwn: Bool, at now: Int64) {
        switch packet.port {
        case 3
        where isOwn && content.unsigned("precision_bits") != 0
            && content.unsigned("precision_bits") < precisionBits ?? 0:
            // The radio's own broadcast, blurred to the channel's precision.
            break
        case 3:
            locate(content, at: packet.isReplay ? Self.reportTime(content, before: now) : now)
        case 4:
            introduce(content)
            see(content)
        case 67 where !packet.isReplay || packet.rxTime != nil || batteryLevel == nil:
            if content.has("device_metrics") { measure(content["device_metrics"]) }
            if content.has("local_stats") { measure(content["local_stats"]) }
        case 36: status = content.string("status")
        case 65 where content.string("rr") == "ROUTER_HEARTBEAT": isStoreForwardServer = true
        default: break
        }
    }

    /// The first key stays, wherever it was seen.
    private mutating func see(_ user: Fields) {
        guard let key = user.bytes("public_key"), !key.isEmpty else { return }
        if publicKey == nil { (publicKey, keyMismatch) = (key, false) } else if publicKey != key { keyMismatch = true }
    }

    private mutating func introduce(_ user: Fields) {
        let long = user.string("long_name") ?? "", short = user.string("short_name") ?? ""
        let model = user.number("hw_model", in: meshtastic__hardware_model__descriptor)
        if !long.isEmpty { longName = long }
        if !short.isEmpty { shortName = short }
        // A request for our own NodeInfo can come with an empty one.
        guard !long.isEmpty || !short.isEmpty || model != 0 else { return }
        if model != 0 { hardwareModel = model }
        let role = user.number("role", in: meshtastic__config__device_config__role__descriptor)
        self.role = role
        if let address = user.bytes("macaddr"), address.contains(where: { $0 != 0 }) { macAddress = address }
        isLicensed = user.bool("is_licensed")
        // ROUTER, REPEATER, TRACKER, SENSOR, TAK_TRACKER and ROUTER_LATE, unless they say otherwise.
        isUnmessagable =
            user.has("is_unmessagable") ? user.bool("is_unmessagable") : [2, 4, 5, 6, 10, 11].contains(role)
    }

    private mutating func locate(_ position: Fields, at time: Int64) {
        guard Self.hasFix(position), time >= positionTime else { return }
        latitudeI = position.signed("latitude_i")
        longitudeI = position.signed("longitude_i")
        if position.has("altitude") { altitude = position.signed("altitude") }
        if position.has("precision_bits") { precisionBits = position.unsigned("precision_bits") }
        positionTime = time
    }

    private mutating func measure(_ metrics: Fields) {
        func value(_ name: String) -> Double? { metrics.has(name) ? metrics.double(name) : nil }
        batteryLevel = value("battery_level") ?? batteryLevel
        if let volts = value("voltage"), volts >= 0 { voltage = volts }
        channelUtilization = value("channel_utilization") ?? channelUtilization
        airUtilTx = value("air_util_tx") ?? airUtilTx
        uptime = value("uptime_seconds") ?? uptime
    }

    /// Milliseconds of the sender's plausible clock, 0 for none.
    private static func reportTime(_ position: Fields, before now: Int64) -> Int64 {
        for name in ["timestamp", "time"] {
            let time = Int64(position.unsigned(name)) * 1000
            if time >= 1_577_836_800_000, time <= now { return time }
        }
        return 0
    }

    /// Coordinates that are on the globe, are not 0/0, and not what a radio's precision makes of 0/0.
    static func hasFix(_ position: Fields) -> Bool {
        guard position.has("latitude_i"), position.has("longitude_i") else { return false }
        let (latitude, longitude) = (position.signed("latitude_i"), position.signed("longitude_i"))
        guard abs(Int64(latitude)) <= 900_000_000, abs(Int64(longitude)) <= 1_800_000_000 else { return false }
        let bits = position.unsigned("precision_bits")
        let zero = (1...31).contains(bits) ? Int32(truncatingIfNeeded: 1 << (31 - Int64(bits))) : 0
        return !(latitude == 0 && longitude == 0) && !(latitude == zero && longitude == zero)
    }
}
