import MeshModel
import MeshProtocol
import Store

// The devices that are made of what is known of radios and nodes.

extension ShownMesh {
    /// A radio, with the values of its own node.
    func radio(_ found: FoundSource, _ known: Known?) -> Device {
        var device = Device(DeviceID(source: found.source), name: known?.shownName ?? found.source.name)
        device.manufacturer = "Meshtastic"
        device.via = .gateway
        device.serial = found.source.nodeNumber?.id
        device.components = speech.ofRadio(channels(of: found.id)).union([Entity.connected.component])
        device.reports[.state] = Device.Report(at: 0, values: ["connected": .flag(connected[found.id] ?? false)])
        if let known { describe(known, of: &device) }
        device.software = found.source.firmwareVersion.map(firmwareWords) ?? device.software
        device.url = publicURL.map { "\($0)#/\(found.source.uuid)" }
        return device
    }

    func node(_ number: NodeNumber, _ known: Known) -> Device {
        var device = Device(.node(number), name: known.shownName ?? number.placeholderLongName)
        device.manufacturer = "Meshtastic"
        device.serial = number.id
        // The first radio that knows it, not the one that heard it last, which would change with every other packet.
        if let found = sources.first(where: { known.rows[$0.id] != nil }) {
            device.via = DeviceID(source: found.source)
            device.url = publicURL.map { "\($0)#/\(found.source.uuid)/n/\(number.id)" }
        }
        device.isQuiet = !known.rows.values.contains(where: \.isFavorite)
        let isListed = if case .listed = chosen { true } else { false }
        device.components = speech.ofNode(isChosen: isListed || !device.isQuiet)
        describe(known, of: &device)
        return device
    }

    private func describe(_ known: Known, of device: inout Device) {
        device.model = known.model.flatMap { EnumNames.hardwareWords($0) }
        device.software = known.software.map(firmwareWords)
        device.times = known.times
        for (kind, report) in known.reports.sorted(by: { $0.value.at < $1.value.at }) {
            guard let group = Group(kind) else { continue }
            // Two kinds may share a group: the older report's values stay beside the newer one's.
            let older = device.reports[group]?.values ?? [:]
            device.reports[group] = Device.Report(
                at: report.at, values: older.merging(report.values) { _, newer in newer })
        }
        for (group, report) in device.reports {
            for key in report.values.keys {
                for platform in ["sensor", "binary_sensor"] where Entity.all["\(platform)_\(key)"]?.group == group {
                    device.components.insert("\(platform)_\(key)")
                }
            }
        }
        describeRows(known, of: &device)
    }

    private func describeRows(_ known: Known, of device: inout Device) {
        let row = known.newest
        let isRadio = device.via == .gateway
        if let heard = row.lastHeard, !isRadio {
            device.reports[.node] = Device.Report(
                at: heard * 1000, values: ["last_heard": .time(heard), "key_in_doubt": .flag(known.isKeyInDoubt)])
            device.components.formUnion(["sensor_last_heard", "binary_sensor_key_in_doubt"])
            var values: [String: Device.Value] = [:]
            // What came over MQTT or the network has no strength: that of an earlier packet is over.
            if row.isHeardByRadio {
                if let snr = row.snr { values["snr"] = .number(snr) }
                if let rssi = row.rssi { values["rssi"] = .whole(Int64(rssi)) }
            }
            if let hops = row.hopsAway { values["hops_away"] = .whole(Int64(hops)) }
            device.reports[.link] = Device.Report(at: heard * 1000, values: values)
            device.components.formUnion(values.keys.map { "sensor_\($0)" })
        }
        guard let placed = known.lastPlaced, let latitude = placed.latitude, let longitude = placed.longitude else {
            return
        }
        var values: [String: Device.Value] = ["latitude": .number(latitude), "longitude": .number(longitude)]
        if let altitude = placed.altitude { values["altitude"] = .whole(Int64(altitude)) }
        // Half the side of a cell of 2^(32 - bits) steps of 1e-7 degrees.
        if let bits = placed.positionPrecisionBits, (1...32).contains(bits) {
            values["gps_accuracy"] = .whole(
                max(1, Int64((23_905_787.9 / Double(UInt64(1) << UInt64(bits))).rounded(.up))))
        }
        device.reports[.position] = Device.Report(at: placed.positionTimestamp ?? placed.updatedAt, values: values)
        device.components.insert("device_tracker_position")
    }
}

extension ShownMesh.Known {
    /// Its nickname, else the name that was learnt last; nil if there is none, or nothing to be seen of it.
    fileprivate var shownName: String? {
        let nickname = inOrder.lazy.compactMap(\.nickname).first
        return [nickname, name].compactMap { $0 }.first { $0.contains { !$0.isWhitespace } }
    }

    fileprivate var newest: Node { inOrder.max { ($0.lastHeard ?? 0) < ($1.lastHeard ?? 0) }! }

    /// The row with the newest report of its place.
    fileprivate var lastPlaced: Node? {
        inOrder.filter { $0.latitude != nil && $0.longitude != nil }
            .max { ($0.positionTimestamp ?? 0) < ($1.positionTimestamp ?? 0) }
    }

    /// Each radio has its own key of it.
    fileprivate var isKeyInDoubt: Bool { rows.values.contains(where: \.isKeyInDoubt) }
}

extension Node {
    /// Whether its last packet came by radio. Without a time of that, as in a radio's list, what is not said to come
    /// over MQTT did.
    fileprivate var isHeardByRadio: Bool {
        guard let byRadio = lastHeardRF, let heard = lastHeard else { return viaMQTT != true }
        return byRadio >= heard
    }
}

/// "2.8.0 (7754068)" for `2.8.0.7754068`: a version, and the build that nobody compares.
private func firmwareWords(_ text: String) -> String {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts.prefix(3).allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isNumber) }), !parts[3].isEmpty
    else { return text }
    return "\(parts[0]).\(parts[1]).\(parts[2]) (\(parts[3]))"
}
