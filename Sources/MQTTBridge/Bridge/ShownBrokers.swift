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
    /// The channels whose texts Home Assistant hears.
    public var texts: [BrokerStatus.ShownChannel] = []
    /// Commands of Home Assistant that were obeyed and refused, since the broker came into force.
    public var commands = 0
    public var commandsRefused = 0
    public var mistakes: [Mistake] = []

    init(_ name: String, state: String) { (self.name, self.state) = (name, state) }
}

public struct ShownBrokers: Sendable {
    /// By name.
    public let brokers: [ShownBroker]
    fileprivate let folder: String?
    /// Of the folder itself.
    fileprivate let mistakes: [Mistake]
    /// Why a broker cannot be connected to at all, and what to type.
    fileprivate let missingLibrary: String?

    init(
        _ brokers: [ShownBroker], folder: String? = nil, mistakes: [Mistake] = [], missingLibrary: String? = nil
    ) {
        (self.brokers, self.folder, self.mistakes) = (brokers, folder, mistakes)
        self.missingLibrary = missingLibrary
    }

    /// Those of which something is remembered, while no daemon runs.
    public init(remembered reader: Reader) throws {
        self.init(
            try reader.knownBrokers().map { name in
                var shown = ShownBroker(name, state: "stopped")
                let rows = try reader.brokerDevices(name)
                shown.devices = rows.count { $0.state == BrokerDeviceRow.published }
                shown.deleted = rows.filter(\.isDeleted).map(\.object)
                return shown
            })
    }
}

extension RunningBrokers {
    public var shown: ShownBrokers {
        let (state, reports) = (current, reports)
        let brokers = state.files.map { file in
            ShownBroker(
                file, inForce: state.folder.inForce(file.name), reports.first { $0.broker.name == file.name },
                obstacle: state.obstacles[file.name])
        }
        return ShownBrokers(
            brokers, folder: folder.path, mistakes: state.mistakesOfFolder,
            missingLibrary: state.missing.map { "\($0)" })
    }
}

extension ShownBroker {
    fileprivate init(_ file: BrokerFile, inForce: Broker?, _ status: BrokerStatus?, obstacle: Obstacle?) {
        self.init(file.name, state: status?.report.state.rawValue ?? (inForce != nil ? "stopped" : "broken"))
        mistakes = file.mistakes
        (address, homeAssistant, reason) = (inForce?.address, inForce?.shownNodes, obstacle?.text)
        guard let status else { return }
        let report = status.report
        (reason, version, maySubscribe) = (report.reason, report.protocolVersion, report.maySubscribe)
        awaySince = report.awaySince
        (connections, published, publishedBytes) = (report.connections, report.published, report.publishedBytes)
        (received, refused, refusal) = (report.received, report.refused, report.refusal)
        (devices, deleted, texts) = (status.devices, status.deleted, status.texts)
        (commands, commandsRefused) = (status.commands, status.commandsRefused)
    }
}

extension JSONWriter {
    /// The members behind `schema` and `via`.
    public mutating func brokers(_ shown: ShownBrokers, _ wanted: RowsWanted) {
        member("folder", wanted.showsFiles ? shown.folder : nil)
        member("missingLibrary", shown.missingLibrary)
        key("brokers")
        array { json in
            for broker in shown.brokers where wanted.includes(broker.name) {
                json.broker(broker, showsFiles: wanted.showsFiles)
            }
        }
        mistakes(shown.mistakes, showsFiles: wanted.showsFiles)
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
            json.key("texts")
            json.array { json in
                for channel in broker.texts {
                    json.object { json in
                        json.member("name", channel.name)
                        json.member("channel", channel.index)
                    }
                }
            }
            json.member("commands", broker.commands)
            json.member("commandsRefused", broker.commandsRefused)
            json.mistakes(broker.mistakes, showsFiles: showsFiles)
        }
    }

    /// The members behind `schema` and `via`.
    public mutating func brokerTest(_ broker: Broker, _ trial: TrialReport) {
        member("name", broker.name)
        member("address", broker.address)
        member("connected", trial.isConnected)
        member("reason", trial.reason)
        member("version", trial.protocolVersion)
        member("maximumPacketSize", trial.limits?.maximumPacketSize)
        member("keepAlive", trial.limits?.keepAlive ?? broker.keepAlive)
        member("retains", trial.limits?.retains)
        member("mayRead", trial.mayRead)
        member("mayPublish", trial.mayPublish)
        key("devices")
        array { json in
            for device in trial.devices {
                json.object { json in
                    json.member("object", device.object)
                    json.member("name", device.name)
                    json.member("entities", device.entities)
                    json.key("events")
                    json.array { json in for name in device.events { json.value(name) } }
                    json.key("commands")
                    json.array { json in for name in device.commands { json.value(name) } }
                }
            }
        }
        member("bytes", trial.bytes)
    }
}
