import Foundation
import MeshProtocol
import Recordings
import Synchronization

@testable import StrictJSON

/// All answers about a recording, ours beside MeshMonitor's.
final class AnswerComparison {
    private(set) var played: PlayedMesh
    /// When something could have been received by either server, in milliseconds.
    let session: ClosedRange<Double>
    private(set) var differences: [Difference] = []
    private let replay: AnsweringReplay
    private let answers: [RecordedAnswer]
    /// From MeshMonitor's ids of packets to ours.
    private var packets: [String: String] = [:]
    private var knownLists: [String: AnswerRows?] = [:]
    /// What MeshMonitor has shown of a list in any answer.
    private var shownLists: [String: Set<String>] = [:]

    init(_ name: String) throws {
        played = PlayedMesh(name: name)
        answers = try RecordedAnswer.all.get()[name] ?? []
        let recording = try Recording(RecordingFiles.stream(name))
        let start = recording.startedAt ?? Self.firstPacket(answers)
        session = Double(start) - 60_000...Double(start) + 3_600_000
        replay = try AnsweringReplay(recording, startsAt: start)
        let asked = answers.first { $0.path == "/api/status" }?.answer?["timestamp"]?.string ?? ""
        try replay.timeIs(Self.milliseconds(asked) / 1000 - Double(start) / 1000)
        for answer in answers { try note(answer) }
        played.messages = (
            shownLists[Self.messages]?.count ?? 0, try ourList(Self.messages)?.rows.count ?? 0
        )
        for answer in answers { try compare(answer) }
    }

    private static let messages = "/api/v1/sources/SOURCE/messages"
    private static let kept = Mutex<[String: [Difference]]>([:])

    /// The differences of a recording; it is played once.
    static func differences(of name: String) throws -> [Difference] {
        if let known = kept.withLock({ $0[name] }) { return known }
        let found = try AnswerComparison(name).differences
        kept.withLock { $0[name] = found }
        return found
    }

    private static func milliseconds(_ text: String) -> Double {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return ((try? format.parse(text))?.timeIntervalSince1970 ?? 0) * 1000
    }

    /// When the first packet of a recording came to MeshMonitor that does not say when it was made.
    private static func firstPacket(_ answers: [RecordedAnswer]) -> Int64 {
        let first = answers.first { $0.path.hasSuffix("/packets/FIRST") }?.answer?["data"]
        return Int64(first?["timestamp"]?.double ?? 0)
    }

    /// What is known of MeshMonitor's lists, and which of our packets are FIRST and LAST: the oldest and newest packet that
    /// both had.
    private func note(_ answer: RecordedAnswer) throws {
        if let list = Self.list(of: answer.path), let rows = AnswerRows(answer.answer?["data"]?.rows ?? []) {
            shownLists[list, default: []].formUnion(rows.byKey.keys)
        }
        if let own = answer.answer?["connection"]?["localNode"]?["nodeNum"]?.integer { played.own = own }
        for row in answer.answer?["data"]?.rows ?? [] where row["viaStoreForward"] == .bool(true) {
            played.repeatedTexts.formUnion(row["id"]?.string?.split(separator: "_").suffix(1).map(String.init) ?? [])
        }
        if answer.path.hasSuffix("/packets?limit=1000") {
            let replays = answer.answer?["data"]?.rows.filter { $0["priority"]?.integer == 10 && $0["rssi"] == .null }
            played.replays.formUnion((replays ?? []).compactMap { $0["packet_id"]?.integer })
            played.replayed.formUnion((replays ?? []).compactMap { $0["from_node"]?.integer })
        }
        let name = answer.path.split(separator: "/").last.map(String.init) ?? ""
        guard ["FIRST", "LAST"].contains(name), let row = answer.answer?["data"],
            let theirs = AnswerRows([row])?.rows.first,
            let ours = try ourList("/api/v1/sources/SOURCE/packets")?.byKey[theirs.key]
        else { return }
        packets[name] = ours["id"]?.text
        packets[row["id"]?.text ?? ""] = ours["id"]?.text
    }

    /// The list that an answer shows a part of, without limits and filters; nil when it is none.
    static func list(of path: String) -> String? {
        let path = String(path.prefix { $0 != "?" }).replacing("/sources/default/", with: "/sources/SOURCE/")
        for list in ["telemetry", "packets", "messages"] {
            let whole = "/api/v1/sources/SOURCE/\(list)"
            if path == whole || path.hasPrefix(whole + "/") { return whole }
        }
        return path.hasSuffix("/position-history") ? path : nil
    }

    /// All of a list of ours.
    func ourList(_ path: String) throws -> AnswerRows? {
        if let known = knownLists[path] { return known }
        let limit = path.hasSuffix("/packets") ? 1000 : 10000
        let rows = AnswerRows(try replay.get("\(path)?limit=\(limit)")["data"]?.rows ?? [])
        knownLists[path] = .some(rows)
        return rows
    }

    /// The nodes in the order of their list.
    func ourNodes() throws -> [String] {
        let rows = try replay.get("/api/v1/sources/SOURCE/nodes")["data"]?.rows ?? []
        return AnswerRows(rows)?.rows.map(\.key) ?? []
    }

    /// Whether MeshMonitor has shown a row in any answer.
    func isShown(_ key: String, in list: String) -> Bool { shownLists[list]?.contains(key) == true }

    private func compare(_ recorded: RecordedAnswer) throws {
        var path = recorded.path
        // The packet is none of ours: the list of packets says so.
        if path.hasSuffix("/LAST"), packets["LAST"] == nil { return }
        if let range = path.range(of: "/packets/") {
            for (theirs, ours) in packets where path[range.upperBound...].hasPrefix(theirs) {
                let rest = path[range.upperBound...].dropFirst(theirs.count)
                if rest.first?.isNumber != true { path = path[..<range.upperBound] + ours + rest }
            }
        }
        let answer = try replay.ask(recorded, path: path)
        let walk = AnswerWalk(comparison: self, request: recorded, status: answer.status)
        if recorded.status != answer.status {
            walk.add("status", .number("\(recorded.status)"), .number("\(answer.status)"))
        }
        if recorded.type != answer.type {
            walk.add("type", recorded.type.map { .string($0) }, answer.type.map { .string($0) })
        }
        if recorded.isTagged != (answer.tag != nil) {
            walk.add("tag", .bool(recorded.isTagged), .bool(answer.tag != nil))
        }
        // An answer of another status or type is one difference, whatever it says.
        guard let theirs = recorded.answer, recorded.method != "HEAD", recorded.type == answer.type,
            recorded.status / 100 == answer.status / 100
        else { return }
        if recorded.type?.hasPrefix("text/plain") == true {
            try walk.compare(Self.samples(theirs.string ?? ""), Self.samples(answer.text), at: "")
        } else if answer.text.isEmpty {
            if theirs != .string("") { walk.add("body", theirs, nil) }
        } else {
            try walk.compare(theirs, StrictJSON(Data(answer.text.utf8)), at: "")
        }
    }

    /// Whether a list of ours has as many rows as an answer to the request says, when nothing limits it.
    func isReal(_ total: Int, of path: String) throws -> Bool {
        let limit = path.contains("/packets") ? 1000 : 10000
        let (path, query) = (path.prefix { $0 != "?" }, path.drop { $0 != "?" }.dropFirst())
        let isCount = path.hasSuffix("/count")
        let filters =
            isCount ? [] : query.split(separator: "&").filter { !$0.hasPrefix("limit=") && !$0.hasPrefix("offset=") }
        let whole = isCount ? path.dropLast(6) : path
        let target = whole + "?" + (filters + ["limit=\(limit)"]).joined(separator: "&")
        return try replay.get(String(target))["data"]?.rows.count == total
    }

    func add(_ difference: Difference) { differences.append(difference) }

    /// The metrics as an object, in their order.
    private static func samples(_ text: String) -> StrictJSON {
        .object(
            text.split(separator: "\n").map { line in
                if line.hasPrefix("#") {
                    let words = line.split(separator: " ", maxSplits: 3)
                    return .init(
                        key: words.dropFirst().prefix(2).joined(separator: " "),
                        value: .string(String(words.last ?? "")))
                }
                let end = line.lastIndex(of: " ") ?? line.startIndex
                return .init(key: String(line[..<end]), value: .number(String(line[end...].dropFirst())))
            })
    }
}
