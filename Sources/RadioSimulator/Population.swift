import MeshModel

/// Makes the people and places of a simulated mesh: nodes around one town, their names as people choose them - emoji,
/// right-to-left and wide scripts, quotes, markup - and their keys.
struct Population {
    /// Innsbruck, where hikers and huts are close to a town.
    static let town = (latitude: 47.2692, longitude: 11.4041)

    private var generator: SeededGenerator
    private let firmware: SimulatorOptions.Firmware
    private var numbers: Set<NodeNumber> = []

    init(seed: UInt64, firmware: SimulatorOptions.Firmware) {
        generator = SeededGenerator(seed: seed, purpose: 1)
        self.firmware = firmware
    }

    /// Firmware up to 2.7 takes the number from the MAC address, 2.8 from the key (SerialReference 5.6).
    mutating func number(publicKey: PublicKey?, macAddress: [UInt8]) -> NodeNumber {
        var number: NodeNumber
        if firmware != .v2_7, let publicKey {
            number = NodeNumber(crc32(publicKey.bytes))
        } else {
            number = NodeNumber(macAddress.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })
        }
        while number.rawValue < 4 || number.isBroadcast || numbers.contains(number) {
            number = NodeNumber(generator.packetID())
        }
        numbers.insert(number)
        return number
    }

    mutating func key() -> PublicKey { PublicKey(generator.bytes(32))! }
    mutating func bytes(_ count: Int) -> [UInt8] { generator.bytes(count) }
    /// Espressif's first three bytes, then three of its own.
    mutating func macAddress() -> [UInt8] { [0x24, 0x6F, 0x28] + generator.bytes(3) }

    mutating func nodes(_ count: Int) -> [SimulatedNode] {
        var nodes: [SimulatedNode] = []
        nodes.reserveCapacity(count)
        var neighbours: [UInt8] = []
        for index in 0..<count {
            var node = index < SimulatedNode.castSize ? cast(index) : extra(index)
            if node.hopsAway == 0 {
                node.relayByte = node.number.relayByte
                if neighbours.count < 8 { neighbours.append(node.relayByte) }
            } else {
                node.relayByte = neighbours.randomElement(using: &generator) ?? 0
            }
            nodes.append(node)
        }
        return nodes
    }

    /// One of the cast that ``SimulatedNode`` describes.
    private mutating func cast(_ index: Int) -> SimulatedNode {
        switch index {
        case 0: return node(index, behaviour: .acknowledges, hops: 0)
        case 1: return node(index, behaviour: .acknowledges, hops: 1)
        case 2: return node(index, behaviour: .isSilent, hops: 2)
        case 3: return node(index, behaviour: .refuses(.pkiUnknownPublicKey), hops: 1)
        case 4: return node(index, behaviour: .acknowledges, hops: 1, hasKey: false)
        case 5: return node(index, behaviour: .acknowledges, hops: 0, hasKey: false, isLicensed: true)
        case 6: return node(index, behaviour: .acknowledges, hops: 0, role: 2)
        case 7:
            var node = node(index, behaviour: .acknowledges, hops: 5)
            node.viaMQTT = true
            return node
        case 8: return node(index, behaviour: .isOnlyRelayed, hops: 3)
        case 9:
            var node = node(index, behaviour: .isSilent, hops: 4, hasKey: false)
            (node.user, node.metrics, node.position) = (nil, nil, nil)
            return node
        case 10:
            var node = node(index, behaviour: .acknowledges, hops: 0)
            node.isStoreForwardServer = true
            return node
        default:
            var node = node(index, behaviour: .acknowledges, hops: 2)
            node.announcedKey = key()
            return node
        }
    }

    private mutating func extra(_ index: Int) -> SimulatedNode {
        let behaviours: [SimulatedNode.Behaviour] = [
            .acknowledges, .acknowledges, .acknowledges, .isOnlyRelayed, .isSilent,
        ]
        let roles: [UInt32] = [0, 0, 0, 0, 1, 5, 6, 11, 12]
        var node = node(
            index, behaviour: behaviours.randomElement(using: &generator)!,
            hops: UInt32.random(in: 0...5, using: &generator), role: roles.randomElement(using: &generator)!)
        node.viaMQTT = index % 9 == 0
        if index % 7 == 0 { node.position = nil }
        if index % 8 == 0 { node.metrics = nil }
        return node
    }

    private mutating func node(
        _ index: Int, behaviour: SimulatedNode.Behaviour, hops: UInt32, role: UInt32 = 0, hasKey: Bool = true,
        isLicensed: Bool = false
    ) -> SimulatedNode {
        let publicKey = hasKey ? key() : nil
        let macAddress = macAddress()
        let number = number(publicKey: publicKey, macAddress: macAddress)
        let (long, short) = Self.names(index)
        let hardware: [UInt32] = [4, 9, 10, 31, 43, 50, 69, 71, 103, 110]
        let user = User(
            id: number.id, longName: firmware != .v2_7 ? Self.clamped(long, 24) : Self.clamped(long, 39),
            shortName: Self.clamped(short, 4),
            macAddress: firmware != .v2_7 ? [UInt8](repeating: 0, count: 6) : macAddress,
            hardwareModel: hardware.randomElement(using: &generator)!, isLicensed: isLicensed, role: role,
            publicKey: publicKey, isUnmessagable: [2, 5, 6, 11].contains(role))
        return SimulatedNode(
            number: number, user: user, behaviour: behaviour, hopsAway: hops, viaMQTT: false, position: position(),
            metrics: metrics(), isStoreForwardServer: false,
            snr: Float(Int.random(in: -60...40, using: &generator)) / 4,
            rssi: Int32.random(in: -125 ... -70, using: &generator),
            lastHeard: -Double.random(in: 60...7000, using: &generator),
            signs: firmware != .v2_7 && hasKey && index % 3 == 0, relayByte: 0)
    }

    /// Somewhere within 10 km of the town, as precisely as its owner shares it.
    private mutating func position() -> Position {
        let latitude = Self.town.latitude + Double.random(in: -0.09...0.09, using: &generator)
        let longitude = Self.town.longitude + Double.random(in: -0.13...0.13, using: &generator)
        // A receiving 2.8 radio clamps what comes on a publicly keyed channel to 15 bits (SerialReference 14.4).
        let precisions: [UInt32] = firmware != .v2_7 ? [13, 14, 15, 15] : [32, 32, 16, 13]
        let bits = precisions.randomElement(using: &generator)!
        return Position(
            latitudeI: Self.clamped(Int32(latitude * 1e7), bits: bits),
            longitudeI: Self.clamped(Int32(longitude * 1e7), bits: bits),
            altitude: Int32.random(in: 560...2300, using: &generator), locationSource: 2,
            satsInView: UInt32.random(in: 4...14, using: &generator), precisionBits: bits)
    }

    private mutating func metrics() -> Telemetry {
        let battery = Int.random(in: 15...101, using: &generator)
        return Telemetry(
            kind: .device,
            values: [
                .init("batteryLevel", Double(battery)),
                .init("voltage", battery > 100 ? 4.25 : 3.3 + Double(battery) / 112),
                .init("channelUtilization", Double(Int.random(in: 0...24, using: &generator))),
                .init("airUtilTx", Double(Int.random(in: 0...8, using: &generator)) / 4),
                .init("uptimeSeconds", Double(Int.random(in: 100...900_000, using: &generator))),
            ])
    }

    /// Truncates a coordinate to its upper bits and moves it to the middle of its cell, as the firmware does.
    static func clamped(_ value: Int32, bits: UInt32) -> Int32 {
        guard (1...31).contains(bits) else { return value }
        let mask = Int32(bitPattern: UInt32.max << (32 - bits))
        return (value & mask) &+ (1 << Int32(31 - bits))
    }

    /// At most so many bytes of UTF-8, cut between characters.
    static func clamped(_ name: String, _ limit: Int) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            guard text.utf8.count + UTF8.width(scalar) <= limit else { break }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    /// After the list has been used up, names get a number.
    private static func names(_ index: Int) -> (long: String, short: String) {
        let entry = nameList[index % nameList.count]
        let round = index / nameList.count
        guard round > 0 else { return entry }
        return (clamped(entry.0, 18) + " \(round + 1)", clamped(entry.1, 3) + "\((round + 1) % 10)")
    }

    private static let nameList: [(String, String)] = [
        ("Anna am Berg", "ANNA"), ("Hütte Nord ⛰️", "⛰️"), ("Bernd, ausgeschaltet", "BRND"), ("Forgetful Frida", "FRI"),
        ("Old T-Beam", "OLD"), ("OE7XYZ Licensed", "OE7"), ("Summit Router", "SMT"), ("Bridge over MQTT", "MQ"),
        ("Cellar node", "CEL"), ("Stranger", "?"), ("Store & Forward", "S&F"), ("Key changer 🔑", "🔑"),
        ("🦊", "🦊"), ("محطة الجبل", "جبل"), ("שלום מההר", "שלום"), ("山の無線局", "山"), ("\"Quotes\" and \\ 'more'", "\"'\\"),
        ("<b>Bold & co</b>", "<b>"), ("Zoë’s Café", "ZOË"), ("Family 👨‍👩‍👧‍👦 node", "👪"), ("Е́жик в тумане", "ЁЖ"),
        ("wide：ＦＵＬＬ", "Ｆ"), ("Über den Wolken mit sehr langem Namen", "ÜDW"), ("한라산 등산로", "한"),
        ("Lake 1;DROP TABLE", "LK1"),
        ("Flag 🇦🇹", "🇦"), ("  two blanks  ", "  "), ("e\u{301}a\u{308} combining", "e\u{301}"), ("ΑΒΓ Αθήνα", "ΑΒ"),
        ("Weather mast", "WX"), ("Valley 2", "V2"), ("Tunnel south", "TUN"), ("ski-patrol-7", "SKI7"),
        ("Gondola ⛷", "GON"),
        ("Pond", "PND"), ("null", "null"), ("0", "0"), ("Mountain rescue", "MR"), ("Repair shop", "REP"),
        ("Bus 14", "B14"),
    ]
}
