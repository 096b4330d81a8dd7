import MeshModel
import Testing

@testable import RestAPI

@Suite struct NodeRowsShowAllKeysInOrder {
    static let keys = [
        "nodeNum", "nodeId", "longName", "shortName", "hwModel", "role", "hopsAway", "lastMessageHops", "viaMqtt",
        "transportMechanism", "transportLastRf", "transportLastMqtt", "transportLastUdp", "isStoreForwardServer",
        "macaddr", "latitude", "longitude", "altitude", "batteryLevel", "voltage", "channelUtilization", "airUtilTx",
        "lastHeard", "snr", "rssi", "lastTracerouteRequest", "firmwareVersion", "channel", "isFavorite",
        "favoriteLocked", "isIgnored", "mobile", "rebootCount", "publicKey", "lastMeshReceivedKey", "hasPKC",
        "lastPKIPacket", "keyIsLowEntropy", "duplicateKeyDetected", "keyMismatchDetected", "keySecurityIssueDetails",
        "isExcessivePackets", "packetRatePerHour", "packetRateLastChecked", "isTimeOffsetIssue", "timeOffsetSeconds",
        "welcomedAt", "nodeStatus", "nodeStatusUpdatedAt", "positionChannel", "positionPrecisionBits",
        "positionGpsAccuracy", "positionHdop", "positionTimestamp", "positionLocationSource",
        "positionOverrideEnabled", "latitudeOverride", "longitudeOverride", "altitudeOverride",
        "positionOverrideIsPrivate", "hideFromMap", "isUnmessagable", "isLicensed", "hasRemoteAdmin",
        "lastRemoteAdminCheck", "remoteAdminMetadata", "notes", "lastTimeSync", "createdAt", "updatedAt", "sourceId",
    ]

    private func row(_ node: Node, isMobile: Bool? = nil) -> JSONText {
        JSONText { $0.node(node, isMobile: isMobile, source: "uuid", for: .localUser) }
    }

    /// Numbers, as upstream's (Contract 3.3); null without a position.
    @Test(arguments: [(nil, "null"), (false, "0"), (true, "1")] as [(Bool?, String)])
    func mobileIsANumber(_ isMobile: Bool?, _ text: String) {
        #expect(row(Node(number: NodeNumber(5), createdAt: 1), isMobile: isMobile).raw("mobile") == text)
    }

    @Test func aNodeThatIsOnlyANumber() throws {
        let row = row(Node(number: NodeNumber(0xABCD_EF12), createdAt: 1_786_000_000_000))
        #expect(row.keys == Self.keys)
        #expect(row.raw("nodeNum") == "2882400018")
        #expect(row.raw("nodeId") == "\"!abcdef12\"")
        #expect(row.raw("longName") == "\"Node !abcdef12\"")
        #expect(row.raw("shortName") == "\"ef12\"")
        #expect(row.raw("hasPKC") == "false")
        #expect(row.raw("lastHeard") == "null")
        #expect(row.raw("createdAt") == "1786000000000")
        for flag in [
            "isFavorite", "favoriteLocked", "isIgnored", "isExcessivePackets", "isTimeOffsetIssue", "hideFromMap",
            "positionOverrideEnabled", "positionOverrideIsPrivate", "isUnmessagable", "isLicensed", "hasRemoteAdmin",
        ] {
            #expect(row.raw(flag) == "false", "\(flag) is never null")
        }
    }

    @Test func aNodeOfWhichEverythingIsKnown() throws {
        var node = Node(number: NodeNumber(0xABCD_EF12), createdAt: 1_786_000_000_000)
        node.longName = "Ridge \"Repeater\" 🏔"
        node.shortName = "RDG1"
        node.macAddress = [0xDE, 0xAD, 0xBE, 0xEF, 0x12, 0x04]
        node.publicKey = PublicKey((0..<32).map { UInt8($0 * 8) })
        node.latitude = 46.2044
        node.longitude = -6.1432
        node.voltage = Double(Float(4.05))
        node.batteryLevel = 101
        node.snr = 5.25
        node.rssi = -97
        node.lastHeard = 1_787_300_042
        node.viaMQTT = false
        node.uptimeSeconds = 345_600
        let row = row(node)
        #expect(row.keys == Self.keys + ["uptimeSeconds"])
        #expect(try row.value["longName"] == .string("Ridge \"Repeater\" 🏔"))
        #expect(row.raw("macaddr") == "\"de:ad:be:ef:12:04\"")
        #expect(row.raw("publicKey") == "\"AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo8Pg=\"")
        #expect(row.raw("hasPKC") == "true")
        #expect(row.raw("latitude") == "46.2044")
        #expect(row.raw("longitude") == "-6.1432")
        #expect(row.raw("voltage") == "4.05")
        #expect(row.raw("batteryLevel") == "101")
        #expect(row.raw("snr") == "5.25")
        #expect(row.raw("lastHeard") == "1787300042")
        #expect(row.raw("viaMqtt") == "false")
        #expect(row.raw("uptimeSeconds") == "345600")
    }

    private func keyed(_ change: (inout Node) -> Void) -> JSONText {
        var node = Node(number: NodeNumber(1), createdAt: 0)
        node.publicKey = PublicKey((1...32).map { UInt8($0) })
        change(&node)
        return row(node)
    }

    /// `keyIsLowEntropy`, `duplicateKeyDetected`, `keyMismatchDetected`.
    private func flags(_ row: JSONText) -> [String?] {
        ["keyIsLowEntropy", "duplicateKeyDetected", "keyMismatchDetected"].map { row.raw($0) }
    }

    @Test func nothingIsSaidAboutAKeyThatIsNotThere() {
        let row = row(Node(number: NodeNumber(1), createdAt: 0))
        #expect(flags(row) == ["null", "null", "false"])
        #expect(row.raw("keySecurityIssueDetails") == "null" && row.raw("lastMeshReceivedKey") == "null")
    }

    @Test func aKeyThatMayBeStaleIsSaidToBe() throws {
        #expect(flags(keyed { _ in }) == ["false", "false", "false"])
        let failed = keyed { $0.keyMismatch = true }
        #expect(flags(failed) == ["false", "false", "true"])
        #expect(try #require(failed.raw("keySecurityIssueDetails")).contains("it may have a new key"))
        let changed = keyed { node in
            node.keyMismatch = true
            node.announcedKey = PublicKey((0..<32).map { UInt8($0 * 8) })
        }
        #expect(flags(changed) == ["false", "false", "true"])
        #expect(changed.raw("lastMeshReceivedKey") == "\"AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo8Pg=\"")
        #expect(try #require(changed.raw("keySecurityIssueDetails")).contains("Another key"))
    }

    @Test func aWeakKeyIsSaidToBe() throws {
        let weak = keyed { $0.publicKey = PublicKey([UInt8](repeating: 7, count: 32)) }
        #expect(flags(weak) == ["true", "false", "false"])
        #expect(try #require(weak.raw("keySecurityIssueDetails")).contains("guessed"))
    }

    @Test func twoNumbersOfOneDeviceAreNoIssue() throws {
        let old = keyed { $0.successor = NodeNumber(2) }
        let new = keyed { $0.predecessor = NodeNumber(2) }
        for row in [old, new] {
            #expect(flags(row) == ["false", "false", "false"])
            #expect(try #require(row.raw("keySecurityIssueDetails")).contains("!00000002"))
        }
        let two = keyed { node in
            node.predecessor = NodeNumber(2)
            node.isKeyDuplicate = true
        }
        #expect(flags(two) == ["false", "true", "false"])
        #expect(try #require(two.raw("keySecurityIssueDetails")).contains("heard as well"))
    }

    @Test func aHardwareAddressOfZerosIsNone() {
        var node = Node(number: NodeNumber(1), createdAt: 0)
        node.macAddress = [0, 0, 0, 0, 0, 0]
        #expect(row(node).raw("macaddr") == "null")
    }
}
