import MeshModel
import MeshProtocol

/// The answer to want_config, frame by frame, in the order of SerialReference 2.3. Made while it is sent: with
/// thousands of nodes it is never in memory as a whole.
struct SentHandshake {
    let nonce: UInt32
    /// It breaks off then.
    var framesLeft = Int.max
    fileprivate var head: ArraySlice<[UInt8]>
    fileprivate var nodes: Range<Int>
    fileprivate var tail: ArraySlice<[UInt8]>
}

extension Radio {
    /// Two nonces are special: only the settings, or only the nodes (SerialReference 2.2).
    func handshake(nonce: UInt32, completingWith completion: UInt32) -> SentHandshake {
        if isLocked {
            return SentHandshake(
                nonce: nonce, head: lockedHandshake(completingWith: completion)[...], nodes: 0..<0, tail: [])
        }
        let wantsSettings = nonce != ToRadio.nodesOnlyNonce
        var head: [[UInt8]] = []
        if wantsSettings {
            head.append(FromRadio.myInfo(myInfo).encoded())
            head.append(Self.frame(17, clientData.uiConfig))
        }
        head.append(FromRadio.nodeInfo(ownNodeInfo).encoded())
        if wantsSettings {
            head.append(FromRadio.metadata(metadata).encoded())
            if options.firmware != .v2_7 { head.append(Self.frame(19, RegionPresets.content)) }
            for index in 0..<8 { head.append(Self.frame(10, channelContent(index))) }
            for tag in 1...10 { head.append(Self.frame(5, settings.config(UInt32(tag)))) }
            for tag in settings.moduleTags { head.append(Self.frame(9, settings.moduleConfig(tag))) }
        }
        var tail: [[UInt8]] = []
        if wantsSettings {
            for (name, size) in RadioSettings.files {
                tail.append(
                    Self.frame(
                        15,
                        WireWriter.message {
                            $0.text(1, name); $0.number(2, size)
                        }))
            }
        }
        tail.append(FromRadio.configComplete(completion).encoded())
        let wantsNodes = nonce != ToRadio.configOnlyNonce
        return SentHandshake(nonce: nonce, head: head[...], nodes: wantsNodes ? nodes.indices : 0..<0, tail: tail[...])
    }

    /// The next frame of a handshake; nil after its last.
    func next(of handshake: inout SentHandshake) -> [UInt8]? {
        if let frame = handshake.head.popFirst() { return frame }
        while let index = handshake.nodes.popFirst() {
            // Also in mid-handshake: one by an admin message, all by a factory reset.
            guard !nodes[index].isForgotten else { continue }
            return FromRadio.nodeInfo(nodeInfo(nodes[index])).encoded()
        }
        return handshake.tail.popFirst()
    }

    /// A FromRadio with one variant that the codec does not build, or must not.
    static func frame(_ variant: UInt32, _ content: [UInt8]) -> [UInt8] {
        WireWriter.message { $0.message(variant, content) }
    }

    var myInfo: MyNodeInfo {
        MyNodeInfo(
            number: number, rebootCount: rebootCount, minAppVersion: 30200, deviceID: deviceID,
            pioEnvironment: "heltec-v3", nodeDBCount: UInt32(nodes.count { !$0.isForgotten } + 1))
    }

    var metadata: DeviceMetadata {
        let isNew = options.firmware != .v2_7
        return DeviceMetadata(
            firmwareVersion: options.firmware.version, deviceStateVersion: isNew ? 25 : 24,
            canShutdown: true, hasWiFi: true, hasBluetooth: true, positionFlags: 811, hardwareModel: 43,
            hasPKC: true, excludedModules: 4096, hasXEdDSA: isNew)
    }

    var ownNodeInfo: NodeInfo {
        NodeInfo(
            number: number, user: user, position: shownPosition, lastHeard: epoch(at: now) ?? 0,
            deviceMetrics: ownMetrics, isFavorite: true)
    }

    /// 2.7 packs position and metrics into it, 2.8 does not (SerialReference 2.4).
    func nodeInfo(_ node: SimulatedNode) -> NodeInfo {
        let isFat = options.firmware == .v2_7 && !misbehaviour.contains(.barrenNodes)
        return NodeInfo(
            number: node.number, user: node.user, position: isFat ? node.position : nil, snr: node.snr,
            lastHeard: epoch(at: node.lastHeard) ?? 0, deviceMetrics: isFat ? node.metrics : nil,
            channel: node.channel, viaMQTT: node.viaMQTT, hopsAway: node.hopsAway, isFavorite: node.isFavorite,
            isIgnored: node.isIgnored, isKeyManuallyVerified: node.isKeyManuallyVerified,
            isMuted: node.isMuted, hasXEdDSASigned: node.signs,
            heardOnCurrentLoRa: options.firmware == .v2_8_1 && !node.viaMQTT)
    }

    func channel(_ index: Int) -> Channel {
        channels.first { $0.index == index } ?? Channel(index: index)
    }

    /// The cached values that 2.8 sends again after a handshake, marked as such by priority and missing RSSI
    /// (SerialReference 2.4). A position keeps the time that it brought. Telemetry takes the time when the node was
    /// last heard with anything, and as ids are made of node, time and kind, an old value comes with a new id as soon
    /// as the node has said something else (recording 28-tcp-reconnect-replayed-telemetry).
    func satelliteReplay() -> [MeshPacket] {
        guard options.firmware != .v2_7, !misbehaviour.contains(.barrenNodes) else { return [] }
        var packets: [MeshPacket] = []
        for node in nodes where !node.isForgotten {
            if let position = node.position {
                packets.append(replay(node, .position, position.encoded(), time: position.time))
            }
        }
        for node in nodes where !node.isForgotten {
            if var metrics = node.metrics {
                metrics.time = epoch(at: node.lastHeard)
                packets.append(replay(node, .telemetry, metrics.encoded(), time: metrics.time))
            }
        }
        return packets
    }

    private func replay(_ node: SimulatedNode, _ port: PortNumber, _ payload: [UInt8], time: UInt32?) -> MeshPacket {
        let id = crc32(
            [node.number.rawValue, time ?? 0, port.rawValue].flatMap { word in
                [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
            })
        return MeshPacket(
            from: node.number, to: .broadcast, id: max(id, 1),
            payload: .decoded(MeshData(port: port, payload: payload)), rxTime: time, rxSNR: node.snr,
            hopLimit: 3 - min(node.hopsAway, 3), hopStart: 3, priority: 10, transport: .lora)
    }
}
