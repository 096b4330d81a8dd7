import JSON

// Registrations: apps and browsers that have asked, with their token, to be told by a push service what the feed gets.
//
// 1. An address belongs to whoever registered last with it: a phone that gets another token is not told twice, and not by the
//    old token's rights. That is another registration then, with a number of its own, and nothing of the old one is sent to it.
// 2. A registration goes with its token, in one transaction, and what waits for it goes with the registration. Numbers are never
//    given twice, so that nothing of an earlier one can reach a later one.
// 3. Whoever may register may fill nothing: a token has a few, and all tokens together have a bound.

extension Schema {
    /// - `kind`: 1 web, 2 Apple. `address`: the endpoint, or Apple's device token. `p256dh`, `auth`: as the browser gave them;
    ///   empty for Apple. `rules`: a list in JSON; NULL: all.
    /// - `registered_at`: when it was registered last, in host milliseconds. `since`: when it was registered first, and
    ///   `change`: the newest change then.
    /// - `unheard_since`: since when its push service has no subscriber for it, in host milliseconds.
    /// - `dispatches.needs`: ``FeedRow/needs``, of a summary those of all that it replaces.
    static let pushRegistrations = """
        CREATE TABLE push_registrations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, token INTEGER NOT NULL, kind INTEGER NOT NULL, address TEXT NOT NULL,
            p256dh TEXT NOT NULL, auth TEXT NOT NULL, is_sandbox INTEGER NOT NULL, is_other_host INTEGER NOT NULL,
            name TEXT, rules TEXT, registered_at INTEGER NOT NULL, since INTEGER NOT NULL, change INTEGER NOT NULL,
            unheard_since INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX push_registrations_address ON push_registrations (kind, address);
        ALTER TABLE dispatches ADD COLUMN needs TEXT NOT NULL DEFAULT '';
        """
}

/// Where a registration is reached.
public enum PushAddress: Hashable, Sendable {
    /// As the client gave them.
    case web(endpoint: String, p256dh: String, auth: String)
    /// The token in hexadecimal, in lower case.
    case apple(deviceToken: String, isSandbox: Bool)
}

/// An app or a browser that is told through a push service.
public struct PushRegistration: Hashable, Sendable {
    /// Never given twice.
    public var id: Int64
    /// ``Token/id``
    public var token: Int64
    public var address: PushAddress
    public var name: String?
    /// Those of which it is told; nil: all.
    public var rules: [String]?
    /// When it was registered last, in host milliseconds.
    public var registeredAt: Int64
    /// When it was registered first, in host milliseconds.
    public var since: Int64
    /// The newest change when it was registered first.
    public var change: Int64
    /// Since when its push service has no subscriber for it, in host milliseconds.
    public var unheardSince: Int64?
    /// Apple's other host is the right one for it.
    public var isOtherHost: Bool

    public init(
        id: Int64, token: Int64, address: PushAddress, name: String? = nil, rules: [String]? = nil,
        registeredAt: Int64, since: Int64? = nil, change: Int64 = 0, unheardSince: Int64? = nil,
        isOtherHost: Bool = false
    ) {
        (self.id, self.token, self.address, self.name, self.rules) = (id, token, address, name, rules)
        (self.registeredAt, self.since, self.change) = (registeredAt, since ?? registeredAt, change)
        (self.unheardSince, self.isOtherHost) = (unheardSince, isOtherHost)
    }

    /// What its dispatches call it. No file of a target can be called so.
    public var target: String { Self.prefix + "\(id)" }

    private static let prefix = "push:"

    /// The number of the registration whose ``target`` this is; nil: it is none's.
    public static func id(ofTarget target: String) -> Int64? {
        guard target.hasPrefix(prefix) else { return nil }
        return Int64(target.dropFirst(prefix.count))
    }
}

extension PushAddress {
    fileprivate var kind: Int { if case .web = self { 1 } else { 2 } }

    fileprivate var text: String {
        switch self {
        case .web(let endpoint, _, _): endpoint
        case .apple(let deviceToken, _): deviceToken
        }
    }

    fileprivate var keys: (p256dh: String, auth: String) {
        if case .web(_, let p256dh, let auth) = self { (p256dh, auth) } else { ("", "") }
    }

    fileprivate var isSandbox: Bool { if case .apple(_, true) = self { true } else { false } }
}

extension Writer {
    /// Registrations of a token. One more takes the place of the oldest.
    public static let registrationsOfToken = 8
    /// Registrations of all tokens together.
    public static let mostRegistrations = 64

    /// Registers an address, or again, with other keys, another name or other rules. Another token that has registered it has it
    /// no longer.
    ///
    /// - Parameters:
    ///   - token: ``Token/id``
    ///   - rules: those of which it is told; nil: all.
    ///   - now: host milliseconds.
    /// - Returns: nil: there are ``mostRegistrations`` already.
    /// - Throws: ``StoreError/tokenRevoked`` if the token is no longer active.
    public func register(
        _ address: PushAddress, for token: Int64, name: String?, rules: [String]?, at now: Int64
    ) throws -> PushRegistration? {
        // In this transaction: the token may have been revoked while its request was under way.
        let isActive =
            try connection.prepare(
                """
                SELECT EXISTS (SELECT 1 FROM tokens
                    WHERE id = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2))
                """
            )
            .bind(token).bind(now).first { $0.flag() } ?? false
        guard isActive else { throw StoreError.tokenRevoked }
        let all = try PushRegistration.all(on: connection)
        let known = all.first { $0.address.kind == address.kind && $0.address.text == address.text }
        guard var again = known, again.token == token else {
            guard let room = try room(for: token, besides: known, among: all, at: now) else { return nil }
            for id in room { try removeRegistration(id) }
            return try insert(address, for: token, name: name, rules: rules, at: now)
        }
        // Which of Apple's hosts is the right one was found out for the one that the app had named.
        again.isOtherHost = again.isOtherHost && again.address.isSandbox == address.isSandbox
        (again.address, again.name, again.rules) = (address, name, rules)
        (again.registeredAt, again.unheardSince) = (now, nil)
        try store(again)
        return again
    }

    /// The registrations that have to go for one more of a token; nil: there is no room.
    private func room(
        for token: Int64, besides known: PushRegistration?, among all: [PushRegistration], at now: Int64
    ) throws -> [Int64]? {
        var gone = [known?.id].compactMap(\.self)
        let own = all.filter { $0.token == token }.sorted { ($0.registeredAt, $0.id) < ($1.registeredAt, $1.id) }
        if own.count >= Self.registrationsOfToken {
            gone += own.prefix(own.count - Self.registrationsOfToken + 1).map(\.id)
        }
        if all.count - gone.count >= Self.mostRegistrations {
            let active = Set(try PushRegistration.active(at: now, on: connection).map(\.id))
            gone += all.map(\.id).filter { !active.contains($0) && !gone.contains($0) }
        }
        return all.count - gone.count < Self.mostRegistrations ? gone : nil
    }

    private func insert(
        _ address: PushAddress, for token: Int64, name: String?, rules: [String]?, at now: Int64
    ) throws -> PushRegistration {
        let newest = try lastChange ?? connection.integer("SELECT max(number) FROM changes") ?? 0
        var new = PushRegistration(
            id: 0, token: token, address: address, name: name, rules: rules, registeredAt: now, change: newest)
        try store(new)
        new.id = connection.lastInsertedRow
        return new
    }

    private func store(_ registration: PushRegistration) throws {
        let (address, keys) = (registration.address, registration.address.keys)
        try connection.prepare(
            "INSERT OR REPLACE INTO push_registrations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        .bind(registration.id == 0 ? nil : registration.id).bind(registration.token).bind(address.kind)
        .bind(address.text).bind(keys.p256dh).bind(keys.auth).bind(address.isSandbox).bind(registration.isOtherHost)
        .bind(registration.name).bind(registration.rules.map(PushRegistration.text)).bind(registration.registeredAt)
        .bind(registration.since).bind(registration.change).bind(registration.unheardSince).run()
    }

    /// Ends a registration: what waits for it is not sent.
    public func removeRegistration(_ id: Int64) throws {
        try connection.prepare("DELETE FROM push_registrations WHERE id = ?").bind(id).run()
        try removeTarget(PushRegistration.target(of: id))
    }

    /// The push key is another one: what browsers have registered is of no use.
    public func removeBrowsersRegistrations() throws {
        for registration in try PushRegistration.all(on: connection) {
            if case .web = registration.address { try removeRegistration(registration.id) }
        }
    }

    /// Its push service has had no subscriber for it since then; nil: it has one.
    public func note(unheardSince time: Int64?, of id: Int64) throws {
        try connection.prepare("UPDATE push_registrations SET unheard_since = ? WHERE id = ?").bind(time).bind(id)
            .run()
    }

    /// Which of Apple's hosts is the right one for it.
    public func noteOtherHost(_ isOther: Bool, of id: Int64) throws {
        try connection.prepare("UPDATE push_registrations SET is_other_host = ? WHERE id = ?").bind(isOther).bind(id)
            .run()
    }

    /// Ends the registrations of tokens that nobody can use any more.
    func removeRegistrationsOfRevokedTokens() throws {
        let gone = try connection.prepare(
            "SELECT id FROM push_registrations WHERE token IN (SELECT id FROM tokens WHERE revoked_at IS NOT NULL)"
        )
        .rows { $0.integer() }
        for id in gone { try removeRegistration(id) }
    }

    /// What was registered before the clock showed plausible times.
    func correctRegistrations(by leap: Int64, before earliest: Int64) throws {
        try connection.prepare(
            """
            UPDATE push_registrations SET
                registered_at = iif(registered_at < ?2, registered_at + ?1, registered_at),
                since = iif(since < ?2, since + ?1, since),
                unheard_since = iif(unheard_since < ?2, unheard_since + ?1, unheard_since)
            """
        )
        .bind(leap).bind(earliest).run()
    }

    /// Whether something can be sent to a target: a registration may have gone while its dispatch was made.
    func isThere(_ target: String) throws -> Bool {
        guard let id = PushRegistration.id(ofTarget: target) else { return true }
        return try connection.prepare("SELECT EXISTS (SELECT 1 FROM push_registrations WHERE id = ?)").bind(id)
            .first { $0.flag() } ?? false
    }
}

extension PushRegistration {
    fileprivate static func target(of id: Int64) -> String { prefix + "\(id)" }

    /// A list in JSON.
    fileprivate static func text(_ rules: [String]) -> String {
        var json = JSONWriter(capacity: 64)
        json.array { json in for rule in rules { json.value(rule) } }
        return String(decoding: json.takeChunk(), as: UTF8.self)
    }

    private static func rules(in text: String) -> [String] {
        (JSONValue(Array(text.utf8))?.array ?? []).compactMap(\.string)
    }

    private static let columns = """
        id, token, kind, address, p256dh, auth, is_sandbox, is_other_host, name, rules, registered_at, since, change,
        unheard_since
        """

    private init(_ row: Statement) {
        let (id, token, kind, address) = (row.integer(), row.integer(), row.integer(), row.text())
        let (p256dh, auth, isSandbox, isOtherHost) = (row.text(), row.text(), row.flag(), row.flag())
        self.init(
            id: id, token: token,
            address: kind == 1
                ? .web(endpoint: address, p256dh: p256dh, auth: auth)
                : .apple(deviceToken: address, isSandbox: isSandbox),
            name: row.textOrNil(), rules: row.textOrNil().map(Self.rules(in:)), registeredAt: row.integer(),
            since: row.integer(), change: row.integer(), unheardSince: row.integerOrNil(), isOtherHost: isOtherHost)
    }

    fileprivate static func all(on connection: DatabaseConnection) throws -> [PushRegistration] {
        try connection.prepare(composed: "SELECT \(columns) FROM push_registrations ORDER BY id")
            .rows(PushRegistration.init)
    }

    fileprivate static func active(at now: Int64, on connection: DatabaseConnection) throws -> [PushRegistration] {
        try connection.prepare(
            composed: """
                SELECT \(columns) FROM push_registrations
                WHERE token IN (SELECT id FROM tokens
                    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?))
                ORDER BY id
                """
        )
        .bind(now).rows(PushRegistration.init)
    }
}

extension Reader {
    /// All of them, also those of tokens that have expired, the oldest first.
    public func registrations() throws -> [PushRegistration] { try PushRegistration.all(on: connection) }

    /// Those of tokens that may be used.
    ///
    /// - Parameter now: host milliseconds.
    public func activeRegistrations(at now: Int64) throws -> [PushRegistration] {
        try PushRegistration.active(at: now, on: connection)
    }
}
