import Foundation

@testable import StrictJSON

/// Goes through two answers side by side.
struct AnswerWalk {
    let comparison: AnswerComparison
    let request: RecordedAnswer
    /// Of our answer.
    let status: Int
    var row = ""
    var theirRow: StrictJSON?
    var ourRow: StrictJSON?

    /// What the answer is about.
    private var subject: String {
        let path = request.path.lowercased().prefix { $0 != "?" }
        let history = "/api/traceroutes/history"
        if path.hasPrefix(history) { return history }
        var parts = path.split(separator: "/").map(String.init)
        let isBelowSource = parts.count > 3 && parts[1] == "sources" || parts.count > 4 && parts[2] == "sources"
        guard request.method == "GET" || request.method == "HEAD", isBelowSource else {
            return "/" + parts.joined(separator: "/")
        }
        parts.removeFirst(parts[1] == "sources" ? 3 : 4)
        switch parts[0] {
        case "nodes" where parts.last == "position-history": return "position-history"
        case "messages" where parts.last == "search": return "search"
        case "network" where parts.count > 1: return parts[1]
        default: return parts[0]
        }
    }

    func add(_ place: String, _ theirs: StrictJSON?, _ ours: StrictJSON?) {
        comparison.add(
            Difference(
                played: comparison.played, request: "\(request.method) \(request.path)", subject: subject,
                place: place, status: status, row: row, theirs: theirs, ours: ours, theirRow: theirRow, ourRow: ourRow))
    }

    func compare(_ theirs: StrictJSON, _ ours: StrictJSON, at place: String) throws {
        switch (theirs, ours) {
        case (.object, .object): try compareObjects(theirs, ours, at: place)
        case (.array(let theirRows), .array(let ourRows)): try compareRows(theirRows, ourRows, at: place)
        case _ where theirs == ours: break
        case (.string(let text), .string) where text.hasPrefix("{"):
            guard let their = theirs.inner, let our = ours.inner else { return add(place, theirs, ours) }
            try compareMembers(their, our, at: place)
        default:
            let key = place.split(separator: ".").last.map(String.init) ?? ""
            // Inside the metadata of a packet, `id` is the packet's.
            let isRowID = key == "id" && !place.contains("metadata.")
            if !isRowID, !isSame(theirs, ours, key) { add(place, theirs, ours) }
        }
    }

    private func compareObjects(_ theirs: StrictJSON, _ ours: StrictJSON, at place: String) throws {
        if place == "data" {
            var inside = self
            (inside.theirRow, inside.ourRow) = (theirs, ours)
            return try inside.compareMembers(theirs, ours, at: place)
        }
        try compareMembers(theirs, ours, at: place)
    }

    private func compareMembers(_ theirs: StrictJSON, _ ours: StrictJSON, at place: String) throws {
        let (theirKeys, ourKeys) = (theirs.keys, ours.keys)
        let prefix = place.isEmpty ? "" : place + "."
        for key in theirKeys where ours[key] == nil { add(prefix + name(key), theirs[key], nil) }
        for key in ourKeys where theirs[key] == nil { add(prefix + name(key), nil, ours[key]) }
        let common = theirKeys.filter { ours[$0] != nil }
        let ourCommon = ourKeys.filter { theirs[$0] != nil }
        if common != ourCommon {
            add(
                "\(place) keys", .string(common.joined(separator: "\n")), .string(ourCommon.joined(separator: "\n")))
        }
        for key in common where try !isCounted(key, theirs, ours, place) {
            try compare(theirs[key]!, ours[key]!, at: prefix + name(key))
        }
    }

    /// Where the rows differ, they are counted on both sides; a total is what the whole list has.
    private func isCounted(_ key: String, _ theirs: StrictJSON, _ ours: StrictJSON, _ place: String) throws -> Bool {
        guard place.isEmpty, let our = ours[key]?.integer else { return false }
        if key == "total" || request.path.contains("/telemetry/count") && key == "count" {
            return try comparison.isReal(our, of: request.path)
        }
        guard key == "count", let their = theirs["data"], let ours = ours["data"] else { return false }
        return theirs[key]?.integer == their.rows.count + their.keys.count && our == ours.rows.count + ours.keys.count
    }

    /// A key that is a value itself, a node's number or the labels of a sample, is `{}`.
    private func name(_ key: String) -> String {
        if key.allSatisfy(\.isNumber) { return "{}" }
        return key.firstIndex(of: "{").map { key[..<$0] + "{}" } ?? key
    }

    private func compareRows(_ theirRows: [StrictJSON], _ ourRows: [StrictJSON], at place: String) throws {
        let place = place + "[]"
        guard let theirs = AnswerRows(theirRows, like: ourRows), let ours = AnswerRows(ourRows, like: theirRows) else {
            if theirRows.count != ourRows.count { add(place, .array(theirRows), .array(ourRows)) }
            for (our, their) in zip(ourRows, theirRows) { try compare(their, our, at: place) }
            return
        }
        let list = place == "data[]" ? AnswerComparison.list(of: request.path) : nil
        let ourList = try list.flatMap { try comparison.ourList($0) }
        var inside = self
        for (key, their) in theirs.rows {
            (inside.row, inside.theirRow, inside.ourRow) = (key, their, ours.byKey[key])
            if let our = ours.byKey[key] {
                try inside.compare(their, our, at: place)
            } else {
                inside.add(ourList?.byKey[key] == nil ? place : "\(place) placed", their, nil)
            }
        }
        for (key, our) in ours.rows where theirs.byKey[key] == nil {
            (inside.row, inside.theirRow, inside.ourRow) = (key, nil, our)
            inside.add(list.map { comparison.isShown(key, in: $0) } == true ? "\(place) placed" : place, nil, our)
        }
        try compareOrder(theirs, ours, place)
    }

    /// Rows that are less than this apart, in milliseconds, have no order: MeshMonitor works on packets that come in one
    /// read side by side.
    private static let together = 10.0

    private func compareOrder(_ theirs: AnswerRows, _ ours: AnswerRows, _ place: String) throws {
        let their = theirs.rows.map(\.key).filter { ours.byKey[$0] != nil }
        let our = ours.rows.map(\.key).filter { theirs.byKey[$0] != nil }
        guard their != our else { return }
        let isByHearing = request.path.contains("active=true")
        let time = isByHearing ? "lastHeard" : theirs.kind.time
        func isOrdered(_ keys: [String], _ rows: [String: StrictJSON], by time: String) -> Bool {
            let times = keys.map { rows[$0]?[time]?.double ?? 0 }
            return zip(times, times.dropFirst()).allSatisfy { $0 > $1 - (isByHearing ? 0.5 : Self.together) }
        }
        if let time, isOrdered(their, theirs.byKey, by: time), isOrdered(our, theirs.byKey, by: time) { return }
        var name = "\(place) order"
        let heardNow = our.filter { key in
            let packet = theirs.byKey[key]?["packetId"]?.integer ?? 0
            return !key.contains("snr_remote") && !comparison.played.replays.contains(packet)
        }
        if let time, heardNow.count < our.count, isOrdered(heardNow, ours.byKey, by: time) { name += " of storing" }
        if place == "data.nodes[]", try our == comparison.ourNodes() { name += " by our times" }
        if name.hasSuffix(" order"), let time, isOrdered(our, ours.byKey, by: time) { name += " by our times" }
        add(name, .string(their.joined(separator: "; ")), .string(our.joined(separator: "; ")))
    }

    // MARK: What may differ from run to run

    private static let milliseconds: Set = [
        "timestamp", "createdAt", "updatedAt", "created_at", "positionTimestamp", "nodeStatusUpdatedAt", "lastUpdated",
        "lastRxTime", "lastPKIPacket", "reverseTimestamp",
    ]
    private static let seconds: Set = ["transportLastRf", "transportLastMqtt", "transportLastUdp"]

    private func isSame(_ theirs: StrictJSON, _ ours: StrictJSON, _ key: String) -> Bool {
        guard case .number(let theirLiteral) = theirs, case .number(let ourLiteral) = ours,
            let their = Double(theirLiteral), let our = Double(ourLiteral)
        else { return isSameMoment(theirs, ours, key) }
        if their == our || Float(their) == Float(our) && theirLiteral.contains(".") { return true }
        if key == "uptime" { return true }
        let unit: Double? =
            switch key {
            case "lastHeard", "meshmonitor_node_last_heard_timestamp_seconds{}": their > 1e11 ? 1 : 1000
            case _ where Self.seconds.contains(key): 1000
            case _ where Self.milliseconds.contains(key): 1
            default: nil
            }
        guard let unit else { return false }
        return comparison.session.contains(their * unit) && comparison.session.contains(our * unit)
    }

    /// The time of the server as a text.
    private func isSameMoment(_ theirs: StrictJSON, _ ours: StrictJSON, _ key: String) -> Bool {
        guard key == "timestamp", let their = theirs.string, let our = ours.string else { return false }
        return their.utf8.count == our.utf8.count && their.hasSuffix("Z") && our.hasSuffix("Z")
    }
}
