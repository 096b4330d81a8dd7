import JSON

/// What `mesh-gateway doctor` wants to know of the radios, the mesh and the database: facts without a judgement, and without
/// keys, names and texts, so that it may go into a bug report.
///
/// It writes and reads the page `diagnosis/1`. Nil: unknown. Times are milliseconds since 1970.
public struct Diagnosis: Equatable, Sendable {
    public var database = Database()
    public var tokens = Tokens()
    public var radios: [Radio] = []
    /// Where they are shared; nil without a daemon.
    public var shares: [Share]?

    public struct Share: Equatable, Sendable {
        /// "*:4403".
        public var address: String
        /// Why nobody can connect.
        public var problem: String?
    }

    public struct Database: Equatable, Sendable {
        public var usedBytes: Int64?
        public var limitBytes: Int64?
        public var journalMode: String?
        public var failingSince: Int64?
        public var lastError: String?
        public var lastErrorAt: Int64?
        public var droppedChanges: Int64?
    }

    /// Those that were not revoked.
    public struct Tokens: Equatable, Sendable {
        public var active = 0
        public var expired = 0
        /// The one that ends next.
        public var nextName: String?
        public var nextExpiry: Int64?
    }

    public init() {}
}

extension Diagnosis {
    /// Nil for a page that is none.
    public init?(_ page: JSONValue) {
        guard let radios = page["radios"]?.array else { return nil }
        database = Database(page["database"])
        tokens = Tokens(page["tokens"])
        self.radios = radios.map(Radio.init)
        shares = page["shares"]?.array?.map {
            Share(address: $0["address"]?.string ?? "?", problem: $0["problem"]?.string)
        }
    }

    /// The page's members behind its schema.
    func write(_ json: inout JSONWriter) {
        json.key("database")
        json.object { database.write(&$0) }
        json.key("tokens")
        json.object { tokens.write(&$0) }
        json.key("radios")
        json.array { json in
            for radio in radios { json.object { radio.write(&$0) } }
        }
        json.key("shares")
        guard let shares else { return json.null() }
        json.array { json in
            for share in shares {
                json.object { json in
                    json.member("address", share.address)
                    json.member("problem", share.problem)
                }
            }
        }
    }
}

extension Diagnosis.Database {
    fileprivate init(_ json: JSONValue?) {
        usedBytes = json?["usedBytes"]?.integer
        limitBytes = json?["limitBytes"]?.integer
        journalMode = json?["journalMode"]?.string
        failingSince = json?["failingSince"]?.time
        lastError = json?["lastError"]?.string
        lastErrorAt = json?["lastErrorAt"]?.time
        droppedChanges = json?["droppedChanges"]?.integer
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.member("usedBytes", usedBytes)
        json.member("limitBytes", limitBytes)
        json.member("journalMode", journalMode)
        json.time("failingSince", milliseconds: failingSince)
        json.member("lastError", lastError)
        json.time("lastErrorAt", milliseconds: lastErrorAt)
        json.member("droppedChanges", droppedChanges)
    }
}

extension Diagnosis.Tokens {
    fileprivate init(_ json: JSONValue?) {
        active = Int(json?["active"]?.integer ?? 0)
        expired = Int(json?["expired"]?.integer ?? 0)
        nextName = json?["nextName"]?.string
        nextExpiry = json?["nextExpiry"]?.time
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.member("active", active)
        json.member("expired", expired)
        json.member("nextName", nextName)
        json.time("nextExpiry", milliseconds: nextExpiry)
    }
}

extension JSONValue {
    /// Milliseconds since 1970 of a time as pages give it.
    var time: Int64? { string.flatMap(ISO8601.milliseconds) }
}
