import Folders
import JSON
import Platform
import Store

/// What routes ask of those who tell phones and browsers (Notifications), and of the rules that do.
public struct PushDoor: Sendable {
    /// How it goes with a registration.
    public struct Progress: Sendable {
        public struct Test: Sendable {
            /// Host milliseconds.
            public let at: Int64
            /// Nil while it is under way; empty if it has arrived.
            public let error: String?

            public init(at: Int64, error: String?) { (self.at, self.error) = (at, error) }
        }

        /// Host milliseconds; nil: never.
        public var toldAt: Int64?
        public var waiting = 0
        /// Host milliseconds; nil: it does not.
        public var failingSince: Int64?
        /// Why the last attempt failed.
        public var error: String?
        public var test: Test?

        public init() {}
    }

    /// A rule that tells.
    public struct TellingRule: Hashable, Sendable {
        public let name: String
        public let isBuiltIn: Bool

        public init(_ name: String, isBuiltIn: Bool = false) { (self.name, self.isBuiltIn) = (name, isBuiltIn) }

        /// Whether a rule can be called so.
        public static func isName(_ text: String) -> Bool { FileName.isFit(text) }
    }

    /// The public half of the push key, as browsers are given it.
    public let key: @Sendable () -> String?
    /// Why this box does not call an address, in a sentence; nil: it does.
    public let refusal: @Sendable (PushAddress) -> String?
    /// Whether Apple's devices can be told.
    public let hasAPNs: @Sendable () -> Bool
    /// Those in force, and the built-in one where no file has its name.
    public let rules: @Sendable () -> [TellingRule]
    public let progress: @Sendable (PushRegistration, Reader) throws -> Progress
    /// To be called when there are others. Returns at once.
    public let changed: @Sendable () -> Void
    /// Sends something; false: nobody is there who could. Returns at once, and ``progress`` says what becomes of it.
    public let test: @Sendable (_ id: Int64) -> Bool
    /// Makes another push key, and drops the browsers' registrations.
    public let newKey: @Sendable () throws -> Void
    let pace = TestPace()

    public init(
        key: @escaping @Sendable () -> String? = { nil },
        refusal: @escaping @Sendable (PushAddress) -> String? = { _ in nil },
        hasAPNs: @escaping @Sendable () -> Bool, rules: @escaping @Sendable () -> [TellingRule],
        progress: @escaping @Sendable (PushRegistration, Reader) throws -> Progress,
        changed: @escaping @Sendable () -> Void = {}, test: @escaping @Sendable (_ id: Int64) -> Bool = { _ in false },
        newKey: @escaping @Sendable () throws -> Void = {}
    ) {
        (self.key, self.refusal, self.hasAPNs, self.rules) = (key, refusal, hasAPNs, rules)
        (self.progress, self.changed, self.test, self.newKey) = (progress, changed, test, newKey)
    }

    /// Whether anything can be sent there, as a word.
    public func state(of address: PushAddress) -> String {
        if case .apple = address, !hasAPNs() { return "no-apns" }
        return "ready"
    }

    /// - Parameter isShown: which of them.
    public func shown(
        _ reader: Reader, where isShown: (PushRegistration) -> Bool = { _ in true }
    ) throws -> ShownPushes {
        let tokens = Dictionary(uniqueKeysWithValues: try reader.tokens().map { ($0.id, $0) })
        let now = WallClock.milliseconds()
        let rows = try reader.registrations().filter(isShown).map { registration in
            var progress = try progress(registration, reader)
            let token = tokens[registration.token]
            if let end = token?.expiresAt, end <= now {
                (progress.failingSince, progress.error) = (end, "its token has expired, so nothing is sent")
            }
            return ShownPushes.Row(
                registration: registration, token: token?.name ?? "", state: state(of: registration.address),
                progress: progress)
        }
        return ShownPushes(rules: rules(), rows: rows)
    }
}

/// Registrations as they are shown: one shape for the command line and for REST (deploy/schemas/pushes.json). What stands behind
/// an address's host is a secret, and in none of them.
public struct ShownPushes: Sendable {
    fileprivate struct Row: Sendable {
        let registration: PushRegistration
        /// The name of its token.
        let token: String
        let state: String
        let progress: PushDoor.Progress
    }

    fileprivate let rules: [PushDoor.TellingRule]
    fileprivate let rows: [Row]

    public var count: Int { rows.count }
}

extension PushRegistration {
    /// Without what stands behind its host.
    public var shownAddress: String {
        switch address {
        case .web(let endpoint, _, _):
            // Behind `https://`, the host and its port end at the first slash.
            let scheme = endpoint.utf8.prefix { $0 != UInt8(ascii: ":") }
            let rest = endpoint.utf8.dropFirst(scheme.count + 3)
            let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            return "\(Substring(scheme))://\(Substring(host))/…"
        case .apple(_, let isSandbox):
            return isSandbox != isOtherHost ? "https://api.sandbox.push.apple.com/…" : "https://api.push.apple.com/…"
        }
    }

    /// What sentences call it.
    public var shownName: String { name ?? "\(id)" }
}

extension JSONWriter {
    /// The members of a page or an answer about them.
    public mutating func pushes(_ shown: ShownPushes) {
        key("rules")
        array { json in
            for rule in shown.rules {
                json.object { json in
                    json.member("name", rule.name)
                    json.member("builtIn", rule.isBuiltIn)
                }
            }
        }
        key("registrations")
        array { json in for row in shown.rows { json.push(row) } }
    }

    private mutating func push(_ row: ShownPushes.Row) {
        let (registration, progress) = (row.registration, row.progress)
        object { json in
            json.member("id", registration.id)
            switch registration.address {
            case .web: json.member("kind", "web")
            case .apple: json.member("kind", "apple")
            }
            json.member("name", registration.name)
            json.member("address", registration.shownAddress)
            json.key("rules")
            if let rules = registration.rules {
                json.array { json in for rule in rules { json.value(rule) } }
            } else {
                json.null()
            }
            json.key("token")
            json.object { json in
                json.member("id", registration.token)
                json.member("name", row.token)
            }
            json.member("state", row.state)
            json.member("registeredAt", ISO8601.text(registration.registeredAt))
            json.member("toldAt", progress.toldAt.map { ISO8601.text($0) })
            json.member("waiting", progress.waiting)
            json.member("failingSince", progress.failingSince.map { ISO8601.text($0) })
            json.member("error", progress.error)
            json.key("test")
            guard let test = progress.test else { return json.null() }
            json.object { json in
                json.member("at", ISO8601.text(test.at))
                json.member("state", test.error.map { $0.isEmpty ? "arrived" : "failed" } ?? "underway")
                json.member("error", test.error.flatMap { $0.isEmpty ? nil : $0 })
            }
        }
    }
}

extension API {
    /// Sends something to a registration, so that its owner sees whether it arrives.
    ///
    /// - Parameter isPaced: a token may test once in ten seconds. A limit for each registration would end with a new registration.
    public func testPush(_ registration: PushRegistration, _ door: PushDoor, isPaced: Bool) throws(APIError) {
        if door.state(of: registration.address) == "no-apns" {
            throw .brief(409, "APNs is not set up on this gateway, so nothing can be sent there; apns-key is a setting")
        }
        if isPaced, let seconds = door.pace.wait(for: "\(registration.token)", 0) {
            throw .triedJustNow(registration.shownName, retryAfter: seconds)
        }
        guard door.test(registration.id) else {
            throw .failed("It cannot be tried: it has ended, or this gateway has no push key (libhogweed6 is missing)")
        }
    }

    /// Forgets a registration, with what waits for it.
    public func removePush(_ registration: PushRegistration, _ door: PushDoor) throws(APIError) {
        do {
            try store.commit { try $0.removeRegistration(registration.id) }
        } catch {
            throw .failed("The registration could not be removed: \(error)")
        }
        door.changed()
    }

    /// - Parameter text: as a path has its number.
    public func push(
        _ text: String, where isSeen: (PushRegistration) -> Bool = { _ in true }
    ) throws(APIError) -> PushRegistration {
        let id = Int64(text)
        let found = try read("registrations") { try $0.registrations().first { $0.id == id && isSeen($0) } }
        guard let found else { throw .noPush }
        return found
    }
}

extension APIError {
    /// Also where it is somebody else's.
    public static var noPush: APIError {
        .notFound("There is no registration of this number; mesh-gateway push list shows them")
    }
}
