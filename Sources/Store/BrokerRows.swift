import MeshModel

// What is remembered of brokers: what was published for Home Assistant at each, and what a person has deleted there.

extension Schema {
    /// - `broker_gateway`: one row, drawn when the first broker is configured: this gateway's name at all of them.
    /// - `broker_memory.generation`: how many configurations were published there.
    /// - `broker_devices.state`, `components`, `lives`: as MQTTBridge's Memory writes them.
    static let brokers = """
        CREATE TABLE broker_gateway (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL) STRICT;
        CREATE TABLE broker_memory (broker TEXT PRIMARY KEY, generation INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE broker_devices (
            broker TEXT NOT NULL, object TEXT NOT NULL, state INTEGER NOT NULL, name TEXT NOT NULL,
            components TEXT NOT NULL, lives TEXT NOT NULL, PRIMARY KEY (broker, object)
        ) STRICT, WITHOUT ROWID;
        """
}

/// A device that was published at a broker.
public struct BrokerDeviceRow: Hashable, Sendable {
    public var broker: String
    public var object: String
    public var state: Int
    public var name: String
    public var components: String
    public var lives: String

    /// Values of `state`.
    public static let published = 1
    public static let deleted = 2
    /// ``deleted``, and its values are still to be emptied.
    private static let deletedWithValues = 4

    /// A person has deleted it in Home Assistant.
    public var isDeleted: Bool { [Self.deleted, Self.deletedWithValues].contains(state) }

    public init(broker: String, object: String, state: Int, name: String, components: String, lives: String) {
        (self.broker, self.object, self.state) = (broker, object, state)
        (self.name, self.components, self.lives) = (name, components, lives)
    }
}

extension Reader {
    /// This gateway's name at brokers; nil before the first broker.
    public func brokerGateway() throws -> String? {
        try connection.prepare("SELECT name FROM broker_gateway").first { $0.text() }
    }
}

extension Writer {
    /// This gateway's name at brokers: eight hexadecimal digits, drawn once.
    public func brokerGateway(drawing draw: () -> String) throws -> String {
        let known = try connection.prepare("SELECT name FROM broker_gateway").first { $0.text() }
        if let known { return known }
        let name = draw()
        try connection.prepare("INSERT INTO broker_gateway (id, name) VALUES (1, ?)").bind(name).run()
        return name
    }

    public func store(_ row: BrokerDeviceRow) throws {
        try connection.prepare(
            """
            INSERT OR REPLACE INTO broker_devices (broker, object, state, name, components, lives)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        )
        .bind(row.broker).bind(row.object).bind(row.state).bind(row.name).bind(row.components).bind(row.lives).run()
    }

    public func forgetDevice(_ object: String, atBroker broker: String) throws {
        try connection.prepare("DELETE FROM broker_devices WHERE broker = ? AND object = ?").bind(broker).bind(object)
            .run()
    }

    public func setGeneration(_ generation: Int64, ofBroker broker: String) throws {
        try connection.prepare("INSERT OR REPLACE INTO broker_memory (broker, generation) VALUES (?, ?)")
            .bind(broker).bind(generation).run()
    }

    /// For a broker that is no longer configured.
    public func forgetBroker(_ broker: String) throws {
        try connection.prepare("DELETE FROM broker_devices WHERE broker = ?").bind(broker).run()
        try connection.prepare("DELETE FROM broker_memory WHERE broker = ?").bind(broker).run()
    }
}

extension Reader {
    public func brokerDevices(_ broker: String) throws -> [BrokerDeviceRow] {
        try connection.prepare(
            """
            SELECT broker, object, state, name, components, lives FROM broker_devices WHERE broker = ? ORDER BY object
            """
        )
        .bind(broker).rows { row in
            BrokerDeviceRow(
                broker: row.text(), object: row.text(), state: Int(row.integer()), name: row.text(),
                components: row.text(), lives: row.text())
        }
    }

    /// 0 if nothing was ever published there.
    public func generation(ofBroker broker: String) throws -> Int64 {
        try connection.prepare("SELECT generation FROM broker_memory WHERE broker = ?").bind(broker)
            .first { $0.integer() } ?? 0
    }

    /// Brokers that have rows.
    public func knownBrokers() throws -> [String] {
        try connection.prepare(
            "SELECT broker FROM broker_memory UNION SELECT broker FROM broker_devices ORDER BY broker"
        )
        .rows { $0.text() }
    }

    /// The report in a row, as ``StoredChange/What/telemetry(_:row:)`` names it.
    public func telemetry(row: Int64, in source: SourceID) throws -> Record<Telemetry>? {
        try connection.prepare(
            composed: "SELECT id, \(Heard.columns), \(Telemetry.columns) FROM telemetry WHERE id = ? AND node >> 32 = ?"
        )
        .bind(row).bind(source.rawValue).first { Heard.read($0, Telemetry.read) }
    }
}
