import HTTPServer
import JSON
import MeshModel

// How query values are read: as MeshMonitor does, with the clients' habits allowed for.

extension Request {
    /// `limit` as the contract reads it: text and 0 mean the default, a negative number "all", which is the cap.
    public func limit(default standard: Int64, cap: Int64) -> Int {
        let number = queryValue("limit").flatMap { parseInt($0) } ?? 0
        return Int(number == 0 ? standard : number < 0 ? cap : min(number, cap))
    }

    /// `offset`: text and negative numbers mean 0.
    public var offset: Int { Int(clamping: max((number("offset") ?? nil) ?? 0, 0)) }

    /// Milliseconds since 1970; nil without a bound.
    ///
    /// Clients send seconds although rows carry milliseconds: what is below 10^11 is that. Emacs sends the
    /// second after its newest row, so two seconds of slack keep it from missing a row of the same second; what it has
    /// already it drops by id.
    public var since: Int64? {
        guard let number = (number("since") ?? nil), number != 0 else { return nil }
        return number < 100_000_000_000 ? (max(number, 2) - 2) * 1000 : number
    }

    /// Milliseconds since 1970, exclusive; seconds as in ``since``. Text and 0 are no bound.
    public var before: Int64? {
        guard let number = (number("before") ?? nil), number != 0 else { return nil }
        return (-100_000_000_000..<100_000_000_000).contains(number) ? number * 1000 : number
    }

    /// A number of the query: `.some(nil)` when it is absent or empty, nil when it is no number.
    public func number(_ key: String) -> Int64?? {
        guard let text = queryValue(key), !text.isEmpty else { return .some(nil) }
        return parseInt(text).map { .some($0) } ?? nil
    }

    /// The query's `channel`, as ``number(_:)``; `0x1` is 1.
    public var channelAsked: Int64?? {
        guard let text = queryValue("channel"), !text.isEmpty else { return .some(nil) }
        return parseIntOfEitherBase(text).map { .some($0) } ?? nil
    }

    /// A node of the query: `.some(nil)` when it is absent or empty, nil when no node has that id.
    public func node(_ key: String) -> NodeNumber?? {
        guard let text = queryValue(key), !text.isEmpty else { return .some(nil) }
        if text == "broadcast" { return .some(.broadcast) }
        return NodeNumber(id: text).map { .some($0) } ?? nil
    }

    /// The source that a path without one asks for, as MeshMonitor 4.0 to 4.13 had it; nil: the preferred one.
    public func sourceAsked(_ body: JSONValue?) -> String? {
        let asked = queryValue("sourceId") ?? body?["sourceId"]?.string ?? ""
        return asked.isEmpty ? nil : asked
    }

    /// A number that differs between paths and queries that ask for different things.
    public var fingerprint: UInt64 {
        var bytes = Array(path.utf8)
        for item in query {
            bytes.append(0)
            bytes += item.key.utf8
            bytes.append(0)
            bytes += item.value.utf8
        }
        return EntityTag.fingerprint(bytes)
    }
}
