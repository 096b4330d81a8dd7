import MeshModel
import Store

// Whose history is whose.
//
// Clients have MeshMonitor's id of the radio in their settings, and it is in the ids of messages. So a source of ours that
// nobody has used yet takes that id, and a new one has it from the start. The radio finds its history again by its node
// number, until it has told what it is known by for good.

private enum SourceColumn: String, ForeignColumn {
    case id, name, type, enabled, createdAt
}

private enum SettingColumn: String, ForeignColumn {
    case key, value
}

/// MeshMonitor's sources, and which of ours they are.
struct ForeignSources {
    private(set) var isMultiSource = false
    private(set) var taken: [TakenSource] = []
    private(set) var others: [(name: String, type: String)] = []
    private var ids: [String: SourceID] = [:]
    private var types: [String: String] = [:]
    /// Of rows from before there were sources: the oldest one's.
    private var first: SourceID?

    private struct Theirs {
        var id: String?
        var name: String
        var isEnabled: Bool
        var createdAt: Int64
        var number: NodeNumber?
    }

    init(_ database: ForeignDatabase, _ writer: Writer, at now: Int64) throws {
        let numbers = try Self.localNumbers(database)
        var radios: [Theirs] = []
        if let table = database.table("sources") {
            isMultiSource = true
            try ForeignColumns<SourceColumn>(table).forEachRow(in: database) { row in
                // A file that has lost its keys can have one twice.
                guard let id = row[.id].text, !radios.contains(where: { $0.id == id }) else { return }
                let (name, type) = (row[.name].name ?? id, row[.type].name ?? "")
                guard type.hasPrefix("meshtastic") else {
                    others.append((name, type))
                    types[id] = type
                    return
                }
                radios.append(
                    Theirs(
                        id: id, name: name, isEnabled: row[.enabled].flag ?? true,
                        createdAt: row[.createdAt].milliseconds ?? now,
                        number: numbers["localNodeNum_\(id)"] ?? numbers["source:\(id):localNodeNum"]))
            }
        }
        radios.sort {
            ($0.isEnabled ? 0 : 1, $0.createdAt, $0.id ?? "") < ($1.isEnabled ? 0 : 1, $1.createdAt, $1.id ?? "")
        }
        if radios.isEmpty {
            radios = [Theirs(name: "Default", isEnabled: true, createdAt: now)]
        }
        radios[0].number = radios[0].number ?? numbers["localNodeNum"]
        for radio in radios { try match(radio, writer, at: now) }
    }

    /// The numbers of the radios, by the settings in which MeshMonitor notes them.
    private static func localNumbers(_ database: ForeignDatabase) throws -> [String: NodeNumber] {
        guard let table = database.table("settings") else { return [:] }
        var numbers: [String: NodeNumber] = [:]
        try ForeignColumns<SettingColumn>(table).forEachRow(in: database) { row in
            guard let key = row[.key].text, key.hasPrefix("localNodeNum") || key.hasSuffix(":localNodeNum"),
                let number = row[.value].node, number.mayBeNode
            else { return }
            numbers[key] = number
        }
        return numbers
    }

    // MARK: Which is which

    private mutating func match(_ theirs: Theirs, _ writer: Writer, at now: Int64) throws {
        let uuid = theirs.id.map { Self.isUsable($0) ? $0 : derivedUUID($0) }
        let (id, place) = try Self.place(theirs, uuid, writer, except: Set(ids.values), at: now)
        try writer.update(id) { source in
            guard source.nodeNumber == nil, source.deviceID == nil, let number = theirs.number else { return }
            source.nodeNumber = number
            source.deviceID = Source.identity(of: number)
        }
        if first == nil { first = id }
        if let theirID = theirs.id { ids[theirID] = id }
        let ours = try writer.source(id)!
        taken.append(
            TakenSource(
                theirID: theirs.id, name: theirs.name, uuid: ours.uuid, number: ours.nodeNumber ?? theirs.number,
                place: place))
    }

    private static func place(
        _ theirs: Theirs, _ uuid: String?, _ writer: Writer, except matched: Set<SourceID>, at now: Int64
    ) throws -> (SourceID, TakenSource.Place) {
        let ours = try writer.sources().filter { !matched.contains($0.0) }
        if let found = ours.first(where: { $0.1.uuid == uuid }) { return (found.0, .present) }
        if let number = theirs.number, let found = ours.first(where: { $0.1.nodeNumber == number }) {
            return (found.0, .present)
        }
        for (id, source) in ours where source.deviceID == nil && source.nodeNumber == nil {
            if try writer.hasHistory(id) { continue }
            try writer.update(id) { source in
                source.uuid = uuid ?? source.uuid
                source.name = theirs.name
                source.createdAt = min(theirs.createdAt, source.createdAt)
            }
            return (id, .unused)
        }
        // Of a version that knows one radio and has not noted which: that one.
        if theirs.id == nil, theirs.number == nil, let oldest = ours.first { return (oldest.0, .present) }
        // While nothing feeds another one, the daemon's first radio is to be this one.
        let isFirst = try theirs.isEnabled && !writer.sources().contains { $0.1.device != nil }
        let source = Source(
            uuid: uuid ?? randomUUID(), name: theirs.name, isEnabled: isFirst, createdAt: theirs.createdAt)
        return (try writer.insert(source), .new)
    }

    /// It becomes part of paths and of message ids.
    private static func isUsable(_ id: String) -> Bool {
        (8...64).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    // MARK: Rows

    /// - Parameter value: a row's source.
    func find(_ value: ForeignValue) -> SourceID? {
        guard isMultiSource, let id = value.text else { return first }
        return ids[id]
    }

    /// Why a row's source is none of ours.
    func whyNot(_ value: ForeignValue) -> Fate {
        let type = value.text.flatMap { types[$0] }
        return .leftOut(
            type.map { "is of a source that is no Meshtastic radio (\($0))" } ?? "belongs to a source that is gone")
    }
}

/// The same for the same text: FNV-1a of its bytes, forwards and backwards, in the form of a UUID (version 8).
private func derivedUUID(_ text: String) -> String {
    func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
    return uuid(version: 8, (hash(text.utf8), hash(text.utf8.reversed())))
}
