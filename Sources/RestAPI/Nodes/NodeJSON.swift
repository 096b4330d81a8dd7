import JSON
import MeshModel
import Nettle
import Routes

extension JSONWriter {
    /// One row of `nodes`: MeshMonitor's keys in its order (Contract 3.3). Features that the gateway does not have
    /// show what upstream shows when they are off: false, or null where it allows that.
    ///
    /// - Parameters:
    ///   - isMobile: nil: it has told no position.
    ///   - caller: who must be allowed to see the channel of the position, or its eight keys are left out.
    ///   - hasUptime: whether the row ends in `uptimeSeconds`, which MeshMonitor adds in v1 only.
    mutating func node(
        _ node: Node, isMobile: Bool?, source: String, for caller: Caller, hasUptime: Bool = true
    ) {
        let isLocated = caller.mayView(node.positionChannel ?? node.channel)
        object { json in
            json.identity(of: node)
            json.reception(of: node)
            if isLocated { json.place(of: node) }
            json.measurements(of: node)
            // Who may not know where it is need not know whether it stays there.
            json.flags(of: node, isMobile: isLocated ? isMobile : nil)
            json.security(of: node)
            json.rates(of: node)
            json.position(of: node, isLocated)
            json.administration(of: node)
            json.member("createdAt", node.createdAt)
            json.member("updatedAt", node.updatedAt)
            json.member("sourceId", source)
            // Ours, and only where somebody has given one.
            if let nickname = node.nickname { json.member("nickname", nickname) }
            // Ours: a person has to decide. It is not so once the known key is kept, whatever is announced.
            if node.isKeyInDoubt { json.member("isInDoubt", true) }
            // A key that is left out instead of null.
            if hasUptime, let uptime = node.uptimeSeconds { json.member("uptimeSeconds", uptime) }
        }
    }

    private mutating func identity(of node: Node) {
        member("nodeNum", node.number.rawValue)
        member("nodeId", node.number.id)
        member("longName", node.shownLongName)
        member("shortName", node.shownShortName)
        member("hwModel", node.hardwareModel)
        member("role", node.role)
    }

    private mutating func reception(of node: Node) {
        member("hopsAway", node.hopsAway)
        member("lastMessageHops", node.lastMessageHops)
        member("viaMqtt", node.viaMQTT)
        member("transportMechanism", node.transport)
        member("transportLastRf", node.lastHeardRF)
        member("transportLastMqtt", node.lastHeardMQTT)
        member("transportLastUdp", node.lastHeardUDP)
        member("isStoreForwardServer", node.isStoreForwardServer)
        member("macaddr", node.macAddress.flatMap(macText))
    }

    private mutating func place(of node: Node) {
        member("latitude", node.latitude)
        member("longitude", node.longitude)
        member("altitude", node.altitude)
    }

    private mutating func measurements(of node: Node) {
        member("batteryLevel", node.batteryLevel)
        float("voltage", node.voltage)
        float("channelUtilization", node.channelUtilization)
        float("airUtilTx", node.airUtilTx)
        // Seconds, while nearly every other time is in milliseconds.
        member("lastHeard", node.lastHeard)
        float("snr", node.snr)
        member("rssi", node.rssi)
        member("lastTracerouteRequest", node.lastTracerouteRequest)
        member("firmwareVersion", node.firmwareVersion)
        member("channel", node.channel)
    }

    private mutating func flags(of node: Node, isMobile: Bool?) {
        member("isFavorite", node.isFavorite)
        member("favoriteLocked", false)
        member("isIgnored", node.isIgnored)
        // Upstream's column is a number, and so is this.
        member("mobile", isMobile.map { $0 ? 1 : 0 })
        member("rebootCount", node.rebootCount)
    }

    private mutating func security(of node: Node) {
        member("publicKey", node.publicKey.map { Base64.encoded($0.bytes) })
        member("lastMeshReceivedKey", node.announcedKey.map { Base64.encoded($0.bytes) })
        // A real boolean: Emacs offers direct messages by it, and 0 is true in Lisp.
        member("hasPKC", node.publicKey != nil)
        member("lastPKIPacket", node.lastPKIPacket)
        member("keyIsLowEntropy", node.publicKey?.isLowEntropy)
        member("duplicateKeyDetected", node.publicKey.map { _ in node.isKeyDuplicate })
        member("keyMismatchDetected", node.keyMismatch)
        member("keySecurityIssueDetails", node.keyDetails)
    }

    private mutating func rates(of node: Node) {
        members(#""isExcessivePackets":false,"packetRatePerHour":null,"packetRateLastChecked":null"#)
        members(#""isTimeOffsetIssue":false,"timeOffsetSeconds":null,"welcomedAt":null"#)
        member("nodeStatus", node.status)
        member("nodeStatusUpdatedAt", node.statusUpdatedAt)
    }

    private mutating func position(of node: Node, _ isLocated: Bool) {
        if isLocated {
            member("positionChannel", node.positionChannel)
            member("positionPrecisionBits", node.positionPrecisionBits)
            members(#""positionGpsAccuracy":null,"positionHdop":null"#)
            member("positionTimestamp", node.positionTimestamp)
        }
        member("positionLocationSource", node.positionLocationSource)
        members(#""positionOverrideEnabled":false,"latitudeOverride":null,"longitudeOverride":null"#)
        members(#""altitudeOverride":null,"positionOverrideIsPrivate":false,"hideFromMap":false"#)
    }

    private mutating func administration(of node: Node) {
        member("isUnmessagable", node.isUnmessagable)
        member("isLicensed", node.isLicensed)
        members(#""hasRemoteAdmin":false,"lastRemoteAdminCheck":null,"remoteAdminMetadata":null"#)
        member("notes", node.notes)
        null("lastTimeSync")
    }
}

/// `de:ad:be:ef:12:34`; nil unless six bytes say something (firmware 2.8 sends zeros).
private func macText(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 6, bytes.contains(where: { $0 != 0 }) else { return nil }
    return String(unsafeUninitializedCapacity: 17) { text in
        for place in 0..<17 {
            let byte = bytes[place / 3]
            let digit = place % 3 == 0 ? byte >> 4 : byte & 15
            text[place] = place % 3 == 2 ? UInt8(ascii: ":") : hexDigit(of: digit)
        }
        return 17
    }
}
