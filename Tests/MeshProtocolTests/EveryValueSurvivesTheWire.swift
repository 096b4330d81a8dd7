import MeshModel
import MeshProtocol
import Testing

@Suite struct EveryValueSurvivesTheWire {
    static let key = PublicKey(Array(1...32))!
    static let user = User(
        id: "!12345678", longName: "Gänsehütte", shortName: "🐢", macAddress: [1, 2, 3, 4, 5, 6], hardwareModel: 43,
        isLicensed: true, role: 12, publicKey: key, isUnmessagable: false)
    static let position = Position(
        latitudeI: -336_112_345, longitudeI: 0, altitude: -12, time: 1, locationSource: 1, altitudeSource: 4,
        timestamp: 2, timestampMillisAdjust: -3, altitudeHAE: -4, altitudeGeoidalSeparation: 0, pdop: 5, hdop: 6,
        vdop: 7,
        gpsAccuracy: 8, groundSpeed: 0, groundTrack: 9, fixQuality: 10, fixType: 11, satsInView: 12, sensorID: 13,
        nextUpdate: 14, sequenceNumber: 15, precisionBits: 32)
    static let metrics = Telemetry(
        kind: .device,
        values: [
            .init("batteryLevel", 101), .init("voltage", 4.25), .init("channelUtilization", 0),
            .init("uptimeSeconds", 1),
        ])
    static let packet = MeshPacket(
        from: NodeNumber(1), to: NodeNumber(2), channel: 3, id: 4,
        payload: .decoded(
            MeshData(
                port: PortNumber(rawValue: 300), payload: [0, 255], wantResponse: true, dest: 5, source: 6,
                requestID: 7,
                replyID: 8, emoji: 9, bitfield: 0, xeddsaSignature: Array(repeating: 7, count: 64))),
        rxTime: 0, rxSNR: -7.25, rxRSSI: 0, hopLimit: 7, hopStart: 7, wantAck: true, priority: 120, viaMQTT: true,
        publicKey: key, pkiEncrypted: true, nextHop: 255, relayNode: 254, transport: .mqtt, xeddsaSigned: true,
        ackProof: .noKey, delayed: 2)
    static let encrypted = MeshPacket(from: NodeNumber(1), to: .broadcast, id: 4, payload: .encrypted([1, 2, 3]))

    static let fromRadioValues: [FromRadio] = [
        .packet(packet), .packet(encrypted),
        .packet(MeshPacket(from: NodeNumber(0), to: NodeNumber(0), id: 0, payload: .none)),
        .myInfo(
            MyNodeInfo(
                number: NodeNumber(1), rebootCount: 2, minAppVersion: 30200, deviceID: Array(repeating: 3, count: 16),
                pioEnvironment: "heltec-v3", firmwareEdition: 127, nodeDBCount: 250)),
        .nodeInfo(
            NodeInfo(
                number: NodeNumber(7), user: user, position: position, snr: 6.5, lastHeard: 8, deviceMetrics: metrics,
                channel: 1, viaMQTT: true, hopsAway: 0, isFavorite: true, isIgnored: true, isKeyManuallyVerified: true,
                isMuted: true, hasXEdDSASigned: true, heardOnCurrentLoRa: true)),
        .nodeInfo(NodeInfo(number: NodeNumber(7), position: Position())),
        .config(.device(role: 5)), .config(.network(enabledProtocols: 1)),
        .config(
            .lora(
                LoRaSettings(
                    usePreset: false, modemPreset: .init(rawValue: 99), region: 3, hopLimit: 5, txEnabled: false))),
        .config(
            .security(SecuritySettings(publicKey: key, isManaged: true, serialEnabled: true, debugLogAPIEnabled: true))),
        .config(.other(tag: 0)), .config(.other(tag: 2)), .config(.other(tag: 10)),
        .moduleConfig(.init(tag: 0)), .moduleConfig(.init(tag: 4, isStoreForwardServer: true)),
        .moduleConfig(.init(tag: 1)), .moduleConfig(.init(tag: 17)),
        .channel(
            Channel(
                index: 7, role: .secondary, name: "Hut", psk: Array(repeating: 9, count: 32), id: 5,
                uplinkEnabled: true,
                downlinkEnabled: true, positionPrecision: 13, isMuted: true,
                usesAEAD: true)),
        .channel(Channel(index: 0)), .channel(Channel(index: 0, positionPrecision: 0)),
        .configComplete(0xFFFF_FFFF), .rebooted,
        .queueStatus(QueueStatus(result: -1, free: 1, capacity: 16, packetID: 0xFFFF_FFFF)),
        .metadata(
            DeviceMetadata(
                firmwareVersion: "2.7.26.54e0d8d", deviceStateVersion: 24, canShutdown: true, hasWiFi: true,
                hasBluetooth: true, hasEthernet: true, role: 1, positionFlags: 811, hardwareModel: 255,
                hasRemoteHardware: true, hasPKC: true, excludedModules: 32768, hasXEdDSA: true)),
        .logRecord(LogRecord(message: "a\nb", time: 1, source: "Router", level: 40)),
        .clientNotification(ClientNotification(replyID: 0, time: 1, level: 30, message: "no")),
        .clientNotification(ClientNotification(time: 0, level: 0, message: "")),
        .lockdownStatus(LockdownStatus(state: 2, reason: "locked")),
        .other(variant: 12), .other(variant: 14), .other(variant: 15), .other(variant: 17), .other(variant: 19), .empty,
    ]

    @Test(arguments: fromRadioValues) func fromRadioValue(_ value: FromRadio) {
        #expect(fromRadio(value.encoded()) == value)
    }

    @Test(arguments: [
        ToRadio.packet(packet), .wantConfig(0), .wantConfig(69420), .disconnect, .heartbeat(nonce: 0),
        .heartbeat(nonce: 7),
        .other(variant: 5), .other(variant: 6), .empty,
    ]) func toRadioValue(_ value: ToRadio) {
        #expect(toRadio(value.encoded()) == value)
    }

    @Test func largestText() {
        let data = MeshData(port: .textMessage, payload: Array(repeating: 65, count: 233), bitfield: 1)
        let packet = MeshPacket(from: NodeNumber(1), to: NodeNumber(2), id: 3, payload: .decoded(data), wantAck: true)
        #expect(ToRadio.packet(packet).encoded().count <= StreamFrame.maximumLength)
    }

    static let contact = SharedContact(number: NodeNumber(9), user: user, shouldIgnore: true, isManuallyVerified: true)

    /// A payload by port number.
    static let contents: [(PortNumber, [UInt8], PacketContent)] = [
        (.position, position.encoded(), .position(position)),
        (.position, [], .position(Position())),
        (.nodeInfo, user.encoded(), .nodeInfo(user)),
        (.nodeInfo, [], .nodeInfo(User())),
        (.routing, Routing.error(.none).encoded(), .routing(.error(.none))),
        (.routing, [], .routing(.error(.none))),
        (.routing, Routing.error(.init(rawValue: 999)).encoded(), .routing(.error(.init(rawValue: 999)))),
        (
            .routing, Routing.routeRequest(RouteDiscovery(route: [NodeNumber(1)])).encoded(),
            .routing(.routeRequest(RouteDiscovery(route: [NodeNumber(1)])))
        ),
        (.routing, Routing.routeReply(RouteDiscovery()).encoded(), .routing(.routeReply(RouteDiscovery()))),
        (
            .traceroute,
            RouteDiscovery(
                route: [NodeNumber(1), .broadcast], snrTowards: [-128, 0, 25], routeBack: [NodeNumber(2)], snrBack: [-1]
            ).encoded(),
            .traceroute(
                RouteDiscovery(
                    route: [NodeNumber(1), .broadcast], snrTowards: [-128, 0, 25], routeBack: [NodeNumber(2)],
                    snrBack: [-1]))
        ),
        (.admin, AdminMessage.setTimeOnly(1_795_245_361).encoded(), .admin(.setTimeOnly(1_795_245_361))),
        (.admin, AdminMessage.setFavorite(NodeNumber(9)).encoded(), .admin(.setFavorite(NodeNumber(9)))),
        (.admin, AdminMessage.removeFavorite(NodeNumber(9)).encoded(), .admin(.removeFavorite(NodeNumber(9)))),
        (.admin, AdminMessage.setIgnored(NodeNumber(9)).encoded(), .admin(.setIgnored(NodeNumber(9)))),
        (.admin, AdminMessage.removeIgnored(NodeNumber(9)).encoded(), .admin(.removeIgnored(NodeNumber(9)))),
        (.admin, AdminMessage.removeNode(NodeNumber(9)).encoded(), .admin(.removeNode(NodeNumber(9)))),
        (.admin, AdminMessage.addContact(contact).encoded(), .admin(.addContact(contact))),
        (.admin, AdminMessage.other(3).encoded(), .admin(.other(3))),  // get_owner_request, a boolean
        (.admin, AdminMessage.other(4).encoded(), .admin(.other(4))),  // get_owner_response, a message
        (.admin, AdminMessage.other(37).encoded(), .admin(.other(37))),  // set_ringtone_message, a string
        (.admin, AdminMessage.other(97).encoded(), .admin(.other(97))),  // reboot_seconds, a number
        (.admin, AdminMessage.other(0).encoded(), .admin(.other(0))),
        (.waypoint, waypoint.encoded(), .waypoint(waypoint)),
        (.neighborInfo, neighbors.encoded(), .neighborInfo(neighbors)),
        (
            .paxcounter, Paxcount(wifi: 1, ble: 2, uptime: 3).encoded(),
            .paxcounter(Paxcount(wifi: 1, ble: 2, uptime: 3))
        ),
        (.textMessage, Array("Grüß 🐢\n".utf8), .text("Grüß 🐢\n")), (.textMessage, [], .text("")),
        (.alert, [7], .text("\u{1F514}\u{7}")),
        (.detectionSensor, [0x61], .text("a")), (.rangeTest, [0x61], .text("a")),
        (.nodeStatus, bytes("0a 02 68 69"), .nodeStatus("hi")),
        (.storeForward, bytes("08 08 2a 02 68 69"), .storeForward(.text("hi", broadcast: false, original: nil))),
        (.storeForward, bytes("08 09 2a 02 68 69"), .storeForward(.text("hi", broadcast: true, original: nil))),
        (
            .storeForward, bytes("08 09 2a 02 68 69 30 07"),
            .storeForward(.text("hi", broadcast: true, original: 7))
        ),
        (.storeForward, bytes("08 09"), .storeForward(.other(9))),
        (.storeForward, bytes("08 02 22 02 08 1e"), .storeForward(.heartbeat(period: 30))),
        (.storeForward, bytes("08 02"), .storeForward(.heartbeat(period: nil))),
        (.storeForward, bytes("08 07 12 05 10 32 18 e8 07"), .storeForward(.stats(saved: 50, most: 1000))),
        (.storeForward, bytes("08 07"), .storeForward(.other(7))),
        (.storeForward, bytes("08 06 1a 02 08 03"), .storeForward(.history(messages: 3))),
        (.storeForward, bytes("08 41"), .storeForward(.other(65))),
        (.privateApp, [1, 2], .raw), (PortNumber(rawValue: 9999), [1, 2], .raw), (.mapReport, [], .raw),
        (.telemetry, [], .raw),
        (.telemetry, bytes("0d 31 45 01 6b"), .raw),  // a time and nothing else
        (.telemetry, bytes("aa 06 00"), .raw),  // a kind of the future
        (.routing, bytes("a0 06 01"), .raw),  // a variant of the future must not acknowledge anything
        (.position, bytes("0a 01"), .undecodable), (.nodeInfo, bytes("08 01"), .undecodable),
        (.routing, [0xFF], .undecodable), (.telemetry, [0x12, 9], .undecodable),
    ]

    static let waypoint = Waypoint(
        id: 1, latitudeI: 2, longitudeI: -3, expire: 4, lockedTo: NodeNumber(5), name: "Tor", description: "a\nb",
        icon: 0x1F422,
        geofenceRadius: 6, boundingBox: .init(west: -1, south: -2, east: 3, north: 0), notifyOnEnter: true,
        notifyOnExit: true, notifyFavoritesOnly: true)
    static let neighbors = NeighborInfo(
        number: NodeNumber(1), lastSentBy: NodeNumber(2), broadcastInterval: 3,
        neighbors: [
            .init(number: NodeNumber(4), snr: -5.5, lastRxTime: 6, broadcastInterval: 7),
            .init(number: NodeNumber(8), snr: 0),
        ])

    @Test(arguments: contents) func content(_ port: PortNumber, _ payload: [UInt8], _ content: PacketContent) {
        #expect(PacketContent(MeshData(port: port, payload: payload)) == content)
    }
}
