import JSON
import MeshModel
import Nettle
import Routes

extension JSONWriter {
    /// One node of `/api/nodes` (Contract 4): parts of it are objects, the role is a text, and most of what is not
    /// known is left out.
    ///
    /// - Parameters:
    ///   - isMobile: nil: it has told no position.
    ///   - caller: who must be allowed to see the channel of the position, or nothing of it is shown.
    mutating func nestedNode(_ node: Node, isMobile: Bool?, for caller: Caller) {
        let isLocated = caller.mayView(node.positionChannel ?? node.channel)
        object { json in
            json.member("nodeNum", node.number.rawValue)
            json.user(of: node)
            json.deviceMetrics(of: node)
            // Seconds, as everywhere.
            json.member("lastHeard", node.lastHeard)
            json.float("snr", node.snr)
            json.member("rssi", node.rssi)
            if let hops = node.hopsAway { json.member("hopsAway", hops) }
            if let hops = node.lastMessageHops { json.member("lastMessageHops", hops) }
            json.known("viaMqtt", node.viaMQTT)
            json.known("isStoreForwardServer", node.isStoreForwardServer)
            json.member("isFavorite", node.isFavorite)
            json.member("favoriteLocked", false)
            json.member("isIgnored", node.isIgnored)
            if let channel = node.channel { json.member("channel", channel) }
            if isLocated, let isMobile { json.member("mobile", isMobile ? 1 : 0) }
            json.known("keyIsLowEntropy", node.publicKey?.isLowEntropy)
            json.known("duplicateKeyDetected", node.publicKey.map { _ in node.isKeyDuplicate })
            if let details = node.keyDetails { json.member("keySecurityIssueDetails", details) }
            if isLocated { json.nestedPosition(of: node) }
            json.member("positionOverrideEnabled", false)
            json.member("positionOverrideIsPrivate", false)
            json.member("hideFromMap", false)
            json.member("hasRemoteAdmin", false)
            json.member("isMobile", isLocated && isMobile == true)
            json.member("positionIsOverride", false)
        }
    }

    private mutating func user(of node: Node) {
        key("user")
        object { json in
            json.member("id", node.number.id)
            json.member("longName", node.shownLongName)
            json.member("shortName", node.shownShortName)
            json.member("hwModel", node.hardwareModel)
            json.member("publicKey", node.publicKey.map { Base64.encoded($0.bytes) })
            if let role = node.role { json.member("role", String(role)) }
        }
    }

    private mutating func deviceMetrics(of node: Node) {
        key("deviceMetrics")
        object { json in
            json.member("batteryLevel", node.batteryLevel)
            json.float("voltage", node.voltage)
            json.float("channelUtilization", node.channelUtilization)
            json.float("airUtilTx", node.airUtilTx)
            if let uptime = node.uptimeSeconds { json.member("uptimeSeconds", uptime) }
        }
    }

    private mutating func nestedPosition(of node: Node) {
        if let latitude = node.latitude, let longitude = node.longitude {
            key("position")
            object { json in
                json.member("latitude", latitude)
                json.member("longitude", longitude)
                json.member("altitude", node.altitude)
            }
        }
        if let bits = node.positionPrecisionBits { member("positionPrecisionBits", bits) }
        if let time = node.positionTimestamp { member("positionTimestamp", time) }
        if let source = node.positionLocationSource { member("positionLocationSource", source) }
    }

    private mutating func known(_ name: StaticString, _ flag: Bool?) {
        if let flag { member(name, flag) }
    }
}
