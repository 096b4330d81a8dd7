import Folders
import JSON
import Store

// The brokers as they are shown: one shape for the command line and for REST (deploy/schemas/mqtt.json, mqtt-test.json).

/// A broker as its file and the daemon know it.
public struct ShownBroker: Sendable {
    public let name: String
    /// Scheme, host and port; nil: its file does not say.
    public var address: String?
    /// Which nodes are devices of Home Assistant, as the file has it; nil: none.
    public var homeAssistant: String?
    /// `waiting`, `connecting`, `live`, `refused`, `stopped`, or `broken` where its file has a mistake and no earlier version
    /// is in force.
    public var state: String
    /// Why it is not live.
    public var reason: String?
    /// Host milliseconds: since when it has been away, once that is ten minutes; nil: it is there, or was a moment ago.
    public var awaySince: Int64?
    /// Of MQTT: `5`, `3.1.1`; nil: it was never live.
    public var version: String?
    public var maySubscribe: Bool?
    /// Since the broker came into force.
    public var connections = 0
    public var published = 0
    public var publishedBytes = 0
    public var received = 0
    /// Publications that the broker did not take, and the last of them.
    public var refused = 0
    public var refusal: String?
    /// Those that Home Assistant has from us.
    public var devices = 0
    /// Objects that a person has deleted there.
    public var deleted: [String] = []
    public var mistakes: [Mistake] = []
    /// Why it is in force and has no thread; not printed.
    public var obstacle: Obstacle?

    public init(_ name: String, state: String) { (self.name, self.state) = (name, state) }
}

/// What a test connection to a broker has shown.
public struct ShownBrokerTest: Sendable {
    public struct Device: Sendable {
        public let object: String
        public let name: String
        public let entities: Int

        public init(object: String, name: String, entities: Int) {
            (self.object, self.name, self.entities) = (object, name, entities)
        }
    }

    public let name: String
    public let address: String
    public var isConnected = false
    /// Why it was not connected.
    public var reason: String?
    public var version: String?
    /// Bytes; nil: any.
    public var maximumPacketSize: Int?
    /// Seconds.
    public var keepAlive = 60
    public var retains: Bool?
    /// Nil where it never came to that.
    public var mayRead: Bool?
    public var mayPublish: Bool?
    /// What would be published for Home Assistant.
    public var devices: [Device] = []
    public var bytes = 0

    public init(_ name: String, address: String) { (self.name, self.address) = (name, address) }
}

/// What the daemon's brokers tell of themselves, and what they can be asked to do.
public struct BrokersDoor: Sendable {
    public struct Report: Sendable {
        public let folder: String
        public var brokers: [ShownBroker]
        /// Of the folder itself.
        public var mistakes: [Mistake]
        /// Why a broker cannot be connected to at all, and what to type.
        public var missingLibrary: String?

        public init(
            folder: String, brokers: [ShownBroker], mistakes: [Mistake] = [], missingLibrary: String? = nil
        ) {
            (self.folder, self.brokers, self.mistakes) = (folder, brokers, mistakes)
            self.missingLibrary = missingLibrary
        }
    }

    public enum TestAnswer: Sendable {
        case done(ShownBrokerTest)
        /// Another test is under way.
        case busy
    }

    public let report: @Sendable () -> Report
    /// Connects to a broker of the report. Blocks for up to 20 seconds.
    public let test: @Sendable (_ name: String) -> TestAnswer
    /// Shows everything again, also what a person has deleted; false: it is not in force.
    public let refresh: @Sendable (_ name: String) -> Bool
    /// Reads the folder again.
    public let reload: @Sendable () -> Void
    /// Before a test that somebody in the network asks for: seconds until there may be another one; nil: there may be one now,
    /// which counts.
    public let pause: @Sendable (_ name: String) -> Int?

    public init(
        report: @escaping @Sendable () -> Report, test: @escaping @Sendable (String) -> TestAnswer,
        refresh: @escaping @Sendable (String) -> Bool, reload: @escaping @Sendable () -> Void,
        pause: @escaping @Sendable (String) -> Int? = { _ in nil }
    ) {
        (self.report, self.test, self.refresh, self.reload) = (report, test, refresh, reload)
        self.pause = pause
    }
}

extension Reader {
    /// - Parameter report: nil: no daemon runs, and those are shown of which something is remembered.
    public func shownBrokers(_ report: BrokersDoor.Report?) throws -> [ShownBroker] {
        if let report { return report.brokers }
        return try knownBrokers().map { name in
            var shown = ShownBroker(name, state: "stopped")
            let rows = try brokerDevices(name)
            shown.devices = rows.count { $0.state == BrokerDeviceRow.published }
            shown.deleted = rows.filter(\.isDeleted).map(\.object)
            return shown
        }
    }
}

extension JSONWriter {
    /// The members behind schema and via.
    public mutating func brokers(_ brokers: [ShownBroker], _ report: BrokersDoor.Report?, showsFiles: Bool) {
        member("folder", showsFiles ? report?.folder : nil)
        member("missingLibrary", report?.missingLibrary)
        key("brokers")
        array { json in for broker in brokers { json.broker(broker, showsFiles: showsFiles) } }
        key("mistakes")
        array { json in for mistake in report?.mistakes ?? [] { json.mistake(mistake, showsFiles: showsFiles) } }
    }

    private mutating func broker(_ broker: ShownBroker, showsFiles: Bool) {
        object { json in
            json.member("name", broker.name)
            json.member("address", broker.address)
            json.member("homeAssistant", broker.homeAssistant)
            json.member("state", broker.state)
            json.member("reason", broker.reason)
            json.member("awaySince", broker.awaySince.map { ISO8601.text($0) })
            json.member("version", broker.version)
            json.member("maySubscribe", broker.maySubscribe)
            json.member("connections", broker.connections)
            json.member("published", broker.published)
            json.member("publishedBytes", broker.publishedBytes)
            json.member("received", broker.received)
            json.member("refused", broker.refused)
            json.member("refusal", broker.refusal)
            json.member("devices", broker.devices)
            json.key("deleted")
            json.array { json in for object in broker.deleted { json.value(object) } }
            json.key("mistakes")
            json.array { json in for mistake in broker.mistakes { json.mistake(mistake, showsFiles: showsFiles) } }
        }
    }

    /// The members behind schema and via.
    public mutating func brokerTest(_ test: ShownBrokerTest) {
        member("name", test.name)
        member("address", test.address)
        member("connected", test.isConnected)
        member("reason", test.reason)
        member("version", test.version)
        member("maximumPacketSize", test.maximumPacketSize)
        member("keepAlive", test.keepAlive)
        member("retains", test.retains)
        member("mayRead", test.mayRead)
        member("mayPublish", test.mayPublish)
        key("devices")
        array { json in
            for device in test.devices {
                json.object { json in
                    json.member("object", device.object)
                    json.member("name", device.name)
                    json.member("entities", device.entities)
                }
            }
        }
        member("bytes", test.bytes)
    }
}

extension APIError {
    public static func noBroker(_ name: String) -> APIError {
        .notFound("There is no broker \"\(name)\" in force; mesh-gateway mqtt status shows them")
    }
}
