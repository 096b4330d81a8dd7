import Gateway
import MeshModel
import Store

// Links to radios as sessions, as clients that watch several machines list them: made of the journal (`happened`), without a
// table of their own.
//
//     live ... problem ... lost | live ... (the gateway starts: whatever was live has ended) | live ...
//     `------ session -------'   `----- session -----'                                         `-- session, still live

/// A link to a radio, from its first word to its end.
public struct LinkSession: Hashable, Sendable {
    public enum Status: String, CaseIterable, Sendable {
        case active
        /// Nothing was heard for a while.
        case idle
        /// A person has to decide something.
        case waitingForInput = "waiting_for_input"
        case ended
    }

    public var source: SourceID
    /// The row of the journal with which it began, and the last one that may be about it; nil: it goes on.
    public var firstRow: Int64
    public var lastRow: Int64?
    /// Host milliseconds.
    public var startedAt: Int64
    /// The last thing that happened to it, host milliseconds.
    public var lastEvent: Int64
    /// The port, and the firmware at its other end.
    public var way: String?

    public var isLive: Bool { lastRow == nil }

    /// Milliseconds without a packet after which a session is idle.
    static let silence: Int64 = 900_000
}

/// Walks back through the journal, from the newest session to the oldest.
public struct LinkSessions {
    private static let page = 256

    private let reader: Reader
    private var page: [Happening] = []
    private var next = 0
    private var before = Int64.max
    /// Where the session of a source ended whose beginning comes next: the row behind which nothing is about it.
    private var ends: [SourceID: Int64] = [:]
    /// The same of every source: the gateway has started there.
    private var start: Int64?
    private var lastEvents: [SourceID: Int64] = [:]

    public init(_ reader: Reader) { self.reader = reader }

    /// Nil: there are no more.
    public mutating func nextSession() throws -> LinkSession? {
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
            // Not everybody may know of it.
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
    /// The rows of the journal that are about the session that began with this row; nil: none did, or it is too old. 0 is the
    /// time before the first session, to which belongs what was told without a link.
    public func rowsOfLinkSession(_ row: Int64, of source: SourceID) throws -> ClosedRange<Int64>? {
        var (sessions, oldest) = (LinkSessions(self), Int64.max)
        while let session = try sessions.nextSession(), session.firstRow >= row {
            guard session.source == source else { continue }
            if session.firstRow == row { return row...(session.lastRow ?? .max) }
            oldest = session.firstRow
        }
        return row == 0 ? 0...oldest - 1 : nil
    }

    /// What happened in these rows to a source, and to the gateway meanwhile, newest first.
    public func happenings(
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

    /// When the radio of a source has heard something last, or was sent something, in host milliseconds; 0: never.
    public func lastTraffic(of source: FoundSource) throws -> Int64 {
        try packets(PacketQuery(in: source.id, trafficOf: source.source.nodeNumber, limit: 1)).first?.at ?? 0
    }
}

extension Gateway {
    /// - Parameters:
    ///   - traffic: ``Reader/lastTraffic(of:)``; nil: there was none, or it is not to be told.
    ///   - doubtedKeys: of how many nodes of the source a person has to decide which key is the right one.
    ///   - now: host milliseconds.
    public func status(
        of session: LinkSession, lastTraffic traffic: Int64?, doubtedKeys: Int, at now: Int64
    ) -> LinkSession.Status {
        guard session.isLive else { return .ended }
        if doubtedKeys > 0 || status(of: session.source).problems.contains(where: { $0.name == "region-unset" }) {
            return .waitingForInput
        }
        guard let traffic else { return .active }
        return now - max(traffic, session.startedAt) >= LinkSession.silence ? .idle : .active
    }
}
