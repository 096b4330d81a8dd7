import Gateway
import MeshModel
import Store

// Links to radios as sessions, as clients that watch several machines list them: derived from the journal (`happened`), without a
// table of their own.
//
//     live ... problem ... lost | live ... (the gateway starts: whatever was live has ended) | live ...
//     `------ session -------'   `----- session -----'                                         `-- session, still live

/// A link to a radio, from when it went live to its end.
struct LinkSession: Hashable, Sendable {
    enum Status: String, CaseIterable, Sendable {
        case active
        /// There was no traffic for a while.
        case idle
        /// A person has to decide something.
        case waitingForInput = "waiting_for_input"
        case ended
    }

    var source: SourceID
    /// The row of the journal with which it began, and the last one that may be about it; nil while it goes on.
    var firstRow: Int64
    var lastRow: Int64?
    /// Host milliseconds.
    var startedAt: Int64
    /// When something last happened to it, in host milliseconds.
    var lastEvent: Int64
    /// The port, and the firmware at its other end.
    var way: String?

    var isLive: Bool { lastRow == nil }

    /// Milliseconds without a packet after which a session is idle.
    static let silence: Int64 = 900_000
}

/// Walks back through the journal, from the newest session to the oldest.
struct LinkSessions {
    private static let page = 256

    private let reader: Reader
    private var page: [Happening] = []
    private var next = 0
    private var before = Int64.max
    /// For each source the end of the session whose beginning comes next: the last row that may be about it.
    private var ends: [SourceID: Int64] = [:]
    /// The same for all sources: the gateway started or stopped there.
    private var start: Int64?
    private var lastEvents: [SourceID: Int64] = [:]

    init(_ reader: Reader) { self.reader = reader }

    /// nil if there are no more.
    mutating func nextSession() throws -> LinkSession? {
        while let row = try nextRow() {
            switch row.kind {
            case .started, .stopped:
                (ends, start, lastEvents) = ([:], row.id - 1, [:])
            case .link where row.name == LinkState.live.name:
                defer { (ends[row.source], lastEvents[row.source]) = (row.id - 1, nil) }
                return LinkSession(
                    source: row.source, firstRow: row.id, lastRow: ends[row.source] ?? start, startedAt: row.at,
                    lastEvent: lastEvents[row.source] ?? row.at, way: row.text)
            case .link:
                (ends[row.source], lastEvents[row.source]) = (row.id, row.at)
            // Not every reader may know of these.
            case .key, .notice: break
            default:
                if lastEvents[row.source] == nil { lastEvents[row.source] = row.at }
            }
        }
        return nil
    }

    private mutating func nextRow() throws -> Happening? {
        if next == page.count {
            page = try reader.happenings(before: before, limit: Self.page)
            next = 0
            guard let last = page.last else { return nil }
            before = last.id
        }
        defer { next += 1 }
        return page[next]
    }
}

extension Reader {
    /// The rows of the journal that are about the session that began with this row; nil if none did, or it is too old. 0 is the
    /// time before the first session, which includes what was recorded without a link.
    func rowsOfLinkSession(_ row: Int64, of source: SourceID) throws -> ClosedRange<Int64>? {
        var (sessions, oldest) = (LinkSessions(self), Int64.max)
        while let session = try sessions.nextSession(), session.firstRow >= row {
            guard session.source == source else { continue }
            if session.firstRow == row { return row...(session.lastRow ?? .max) }
            oldest = session.firstRow
        }
        return row == 0 ? 0...oldest - 1 : nil
    }

    /// What happened to a source in these rows, and to the gateway meanwhile, newest first.
    func happenings(
        in rows: ClosedRange<Int64>, of source: SourceID, limit: Int, where isVisible: (Happening) throws -> Bool
    ) throws -> [Happening] {
        let page = 200
        var (found, last) = ([Happening](), rows.upperBound)
        while found.count < limit {
            let some = try happenings(in: rows.lowerBound...last, of: source, limit: page)
            found += try some.filter(isVisible)
            guard some.count == page, let oldest = some.last?.id, oldest > rows.lowerBound else { break }
            last = oldest - 1
        }
        return Array(found.prefix(limit))
    }

    /// When the radio of a source last heard or was sent something, in host milliseconds; 0 if never.
    func lastTraffic(of source: FoundSource) throws -> Int64 {
        try packets(PacketQuery(in: source.id, trafficOf: source.source.nodeNumber, limit: 1)).first?.at ?? 0
    }
}

extension Gateway {
    /// - Parameters:
    ///   - traffic: ``Reader/lastTraffic(of:)``; nil if there was none, or it must not be shown.
    ///   - doubtedKeys: for how many nodes of the source a person has to decide which key is right.
    ///   - now: host milliseconds.
    func status(
        of session: LinkSession, lastTraffic traffic: Int64?, doubtedKeys: Int, at now: Int64
    ) -> LinkSession.Status {
        guard session.isLive else { return .ended }
        if doubtedKeys > 0 || status(of: session.source).problems.contains(where: { $0.kind == .regionUnset }) {
            return .waitingForInput
        }
        guard let traffic else { return .active }
        return now - max(traffic, session.startedAt) >= LinkSession.silence ? .idle : .active
    }
}
