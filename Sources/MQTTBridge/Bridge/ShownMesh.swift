import MeshModel
import MeshProtocol
import Store

// Turns the rows of radios and nodes into devices (ShownDevices.swift): read once, then updated change by change. Only
// chosen nodes are kept.

struct ShownMesh {
    /// nil for none.
    let chosen: Broker.ChosenNodes?
    let speech: Broker.Speech
    /// How long a node stays "direct" after it was heard directly, in host milliseconds.
    static let directFor: Int64 = 7 * 24 * 3_600_000
    /// How many telemetry rows are read for a new node's values.
    private static let pastReports = 64
    /// Host milliseconds within which several radios hear one report.
    private static let sameReport: Int64 = 60_000

    /// What is known of a node.
    struct Known {
        var rows: [SourceID: Node] = [:]
        var reports: [Telemetry.Kind: Device.Report] = [:]
        var times: [Group: [Int64]] = [:]
        /// When it was last heard directly, in host milliseconds.
        var directAt: Int64?
        /// As the radio has it that learnt it last.
        var name: String?
        var model: UInt32?
        var software: String?
    }

    var connected: [SourceID: Bool] = [:]
    /// Where the web page is reached from outside, with a slash at its end; nil if nowhere.
    var publicURL: String?
    /// Radios in use, oldest first.
    private(set) var sources: [FoundSource] = []
    /// Names of their channels, by index.
    private var channelNames: [SourceID: [Int: String]] = [:]
    private var nodes: [NodeNumber: Known] = [:]
    /// ``Known/directAt`` of those that were known before everything is read again: the packet may be in no row.
    private var directBefore: [NodeNumber: Int64] = [:]
    /// The devices as of the last difference.
    private(set) var devices: [DeviceID: Device] = [:]

    init(_ chosen: Broker.ChosenNodes?, _ speech: Broker.Speech = Broker.Speech()) {
        (self.chosen, self.speech) = (chosen, speech)
    }

    /// Devices that have changed or are gone, and groups with new reports.
    struct Difference {
        var changed: [Device] = []
        var gone: Set<DeviceID> = []
        var reported: Set<Plan.StateKey> = []
    }

    /// Reads everything.
    mutating func load(_ reader: Reader, at now: Int64) throws -> Difference {
        sources = try reader.sources().filter(\.source.isEnabled)
        try readChannels(reader)
        directBefore = nodes.compactMapValues(\.directAt)
        defer { directBefore = [:] }
        nodes = [:]
        var numbers = Set(sources.compactMap(\.source.nodeNumber))
        for (id, _) in sources { numbers.formUnion(try reader.nodeNumbers(in: id)) }
        for number in numbers { try look(number, reader, at: now) }
        return difference(of: Set(numbers), isWhole: true)
    }

    /// - Parameter changes: from the log, in order.
    mutating func take(_ changes: [StoredChange], _ reader: Reader, at now: Int64) throws -> Difference {
        var (touched, reported) = (Set<NodeNumber>(), Set<Plan.StateKey>())
        let before = sources
        sources = try reader.sources().filter(\.source.isEnabled)
        guard sources.map(\.source) == before.map(\.source) else { return try load(reader, at: now) }
        if changes.contains(where: { $0.kind == .channel }) { try readChannels(reader) }
        for change in changes {
            switch change.what {
            case .node(let number), .nodeHeard(let number), .nodeDeleted(let number, _), .position(let number, _):
                touched.insert(number)
                if case .position = change.what { reported.insert(.init(device: id(of: number), group: .position)) }
            case .telemetry(let number, let row):
                touched.insert(number)
                guard nodes[number] != nil, let record = try reader.telemetry(row: row, in: change.source) else {
                    continue
                }
                add(record, to: number, at: now)
                // What a radio repeats or lists was reported before.
                guard change.origin == .live || change.origin == .late, let group = Group(record.value.kind) else {
                    continue
                }
                reported.insert(.init(device: id(of: number), group: group))
            default: break
            }
        }
        for number in touched {
            let heard = nodes[number]?.rows.values.compactMap(\.lastHeard).max()
            try look(number, reader, at: now)
            guard let known = nodes[number], known.rows.values.compactMap(\.lastHeard).max() != heard else { continue }
            reported.insert(.init(device: id(of: number), group: .link))
            reported.insert(.init(device: id(of: number), group: .node))
        }
        var difference = difference(of: touched, isWhole: false)
        difference.reported.formUnion(reported.filter { devices[$0.device] != nil })
        return difference
    }

    /// Drops nodes that have not been heard directly for too long.
    mutating func forgetSilent(_ reader: Reader, at now: Int64) throws -> Difference {
        guard chosen == .direct else { return Difference() }
        let silent = Set(nodes.filter { ($0.value.directAt ?? 0) < now - Self.directFor }.keys)
        for number in silent { try look(number, reader, at: now) }
        return difference(of: silent, isWhole: false)
    }

    // MARK: what is asked of it

    func source(_ id: SourceID) -> FoundSource? { sources.first { $0.id == id } }

    /// The radio that is this device, or through which it is reached.
    func source(through device: DeviceID) -> FoundSource? {
        let radio = if case .radio = device { device } else { devices[device]?.via ?? device }
        return sources.first { DeviceID(source: $0.source) == radio }
    }

    func isOwn(_ number: NodeNumber) -> Bool { sources.contains { $0.source.nodeNumber == number } }

    /// The channels of a radio that the broker's file names, by index.
    func channels(of source: SourceID) -> Set<Int> {
        guard let found = self.source(source) else { return [] }
        return speech.channels(
            of: DeviceID(source: found.source), isDefault: source == sources.first?.id,
            named: channelNames[source] ?? [:])
    }

    /// The index of a channel that the file names; nil if no channel has the name now.
    func index(of channel: Broker.NamedChannel) -> Int? {
        sources.lazy.compactMap { [self] found in
            speech.index(
                of: channel, DeviceID(source: found.source), isDefault: found.id == sources.first?.id,
                channelNames[found.id] ?? [:])
        }.first
    }

    // MARK: rows

    private mutating func readChannels(_ reader: Reader) throws {
        guard !speech.channels.isEmpty else { return }
        for found in sources { channelNames[found.id] = try reader.channelNames(in: found.id, lora: found.source.lora) }
    }

    private var own: [NodeNumber: FoundSource] {
        Dictionary(
            sources.compactMap { found in found.source.nodeNumber.map { ($0, found) } },
            uniquingKeysWith: { first, _ in first })
    }

    private func id(of number: NodeNumber) -> DeviceID {
        own[number].map { DeviceID(source: $0.source) } ?? .node(number)
    }

    /// Reads a node's rows again, and keeps them if the node is chosen.
    private mutating func look(_ number: NodeNumber, _ reader: Reader, at now: Int64) throws {
        var rows: [SourceID: Node] = [:]
        for (id, _) in sources { if let row = try reader.node(number, in: id) { rows[id] = row } }
        guard !rows.isEmpty else { return nodes[number] = nil }
        var known = nodes[number] ?? Known(directAt: directBefore[number])
        known.take(rows)
        for row in rows.values where row.hopsAway == 0 && row.viaMQTT != true {
            known.directAt = max(known.directAt ?? 0, min(now, (row.lastHeardRF ?? row.lastHeard ?? 0) * 1000))
        }
        let isNew = nodes[number] == nil
        guard isChosen(number, known, at: now) || (isNew && chosen == .direct && hasOldDirect(rows, at: now)) else {
            return nodes[number] = nil
        }
        nodes[number] = known
        guard isNew else { return }
        for (id, _) in rows {
            for record in try reader.telemetry(of: number, in: id, limit: Self.pastReports).reversed() {
                add(record, to: number, at: now)
            }
            guard chosen == .direct else { continue }
            for record in try reader.positions(of: number, in: id, limit: Self.pastReports) {
                noteDirect(record, of: number, at: now)
            }
        }
        if !isChosen(number, nodes[number]!, at: now) { nodes[number] = nil }
    }

    /// Whether the node may have been heard directly before its last packet, so that its telemetry is worth reading.
    private func hasOldDirect(_ rows: [SourceID: Node], at now: Int64) -> Bool {
        rows.values.contains { ($0.lastHeard ?? 0) * 1000 >= now - Self.directFor }
    }

    private func isChosen(_ number: NodeNumber, _ known: Known, at now: Int64) -> Bool {
        guard own[number] == nil else { return chosen != nil }
        switch chosen {
        case nil: return false
        case .all: return known.rows.values.contains { !$0.isIgnored }
        case .favourites: return known.rows.values.contains(where: \.isFavorite)
        case .direct: return (known.directAt ?? 0) >= now - Self.directFor
        case .listed(let numbers): return numbers.contains(number)
        }
    }

    /// 0 of 0 hops is what old firmware says of all its packets; what came over MQTT has no strength.
    private mutating func noteDirect<Value>(_ record: Record<Value>, of number: NodeNumber, at now: Int64) {
        guard let start = record.hopStart, start > 0, start == record.hopLimit, record.rxSNR != nil else { return }
        nodes[number]!.directAt = max(nodes[number]!.directAt ?? 0, min(now, record.at))
    }

    private mutating func add(_ record: Record<Telemetry>, to number: NodeNumber, at now: Int64) {
        guard let group = Group(record.value.kind), nodes[number] != nil else { return }
        noteDirect(record, of: number, at: now)
        // What comes from the future was told before the clock was set back: anything else is newer.
        func isOfFuture(_ time: Int64) -> Bool { time > now + Self.sameReport }
        var times = (nodes[number]!.times[group] ?? []).filter { !isOfFuture($0) }
        let isKnown = times.contains { abs($0 - record.at) < Self.sameReport }
        if !isKnown { times = Array((times + [record.at]).sorted(by: >).prefix(Life.reports)) }
        nodes[number]!.times[group] = times
        if let known = nodes[number]!.reports[record.value.kind] {
            let isNewer = isOfFuture(known.at) == isOfFuture(record.at) ? record.at >= known.at : isOfFuture(known.at)
            guard isNewer else { return }
        }
        var values: [String: Device.Value] = [:]
        for value in record.value.values { values[snakeCase(value.name)] = .number(value.value) }
        if record.value.kind == .host {
            // In hundredths on the air.
            for key in ["host_load1", "host_load5", "host_load15"] {
                if case .number(let load) = values[key] { values[key] = .number(load / 100) }
            }
        }
        if case .number(let level) = values["battery_level"] {
            values["powered"] = .flag(level > 100)
            values["battery_level"] = .number(min(level, 100))
        }
        nodes[number]!.reports[record.value.kind] = Device.Report(at: record.at, values: values)
    }

    // MARK: devices

    private mutating func difference(of touched: Set<NodeNumber>, isWhole: Bool) -> Difference {
        var (difference, present) = (Difference(), Set<DeviceID>())
        guard chosen != nil else {
            difference.gone = Set(devices.keys)
            devices = [:]
            return difference
        }
        for found in sources {
            let device = radio(found, found.source.nodeNumber.flatMap { nodes[$0] })
            present.insert(device.id)
            let before = devices.updateValue(device, forKey: device.id)
            if before != device { difference.changed.append(device) }
            if before?.reports[.state] != device.reports[.state] {
                difference.reported.insert(.init(device: device.id, group: .state))
            }
        }
        for number in touched where own[number] == nil {
            guard let known = nodes[number] else { continue }
            let device = node(number, known)
            present.insert(device.id)
            if devices.updateValue(device, forKey: device.id) != device { difference.changed.append(device) }
        }
        let looked = isWhole ? Set(devices.keys) : Set(touched.map { DeviceID.node($0) })
        for id in looked.subtracting(present) where devices.removeValue(forKey: id) != nil {
            difference.gone.insert(id)
        }
        return difference
    }
}

extension ShownMesh.Known {
    /// Its rows in the order of the radios.
    var inOrder: [Node] { rows.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value) }

    /// Its rows as they are now. What one says otherwise than before is news; by who heard it last, a name that one
    /// radio has missed would change with every other packet, and with it a configuration.
    fileprivate mutating func take(_ new: [SourceID: Node]) {
        let before = rows
        rows = new
        func latest<T: Equatable>(_ current: T?, _ value: (Node) -> T?) -> T? {
            let told = inOrder.sorted { ($0.lastHeard ?? 0) > ($1.lastHeard ?? 0) }.compactMap(value)
            for (id, row) in new {
                if let old = before[id], let learnt = value(row), value(old) != learnt { return learnt }
            }
            return current.flatMap { told.contains($0) ? $0 : nil } ?? told.first
        }
        name = latest(name) { $0.longName }
        model = latest(model) { $0.hardwareModel }
        software = latest(software) { $0.firmwareVersion }
    }
}
