import Configuration
import Folders
import Gateway
import Log
import MQTTBridge
import MeshModel
import Routes
import Store

extension RunningBrokers {
    /// A daemon's brokers, from the folder beside its configuration file.
    convenience init(
        _ gateway: Gateway, besideFile file: String, publicURL: @escaping @Sendable () -> String?, logger: Logger
    ) {
        self.init(
            gateway, folder: BrokersFolder(besideFile: file),
            facts: {
                var facts = GatewayFacts(version: MeshGateway.version)
                facts.problems = gateway.problemsWithoutFiles
                facts.publicURL = publicURL()
                return facts
            }, logger: logger)
    }
}

extension Gateway {
    /// The problems that `mesh-gateway status` shows, without the names of files on this machine.
    fileprivate var problemsWithoutFiles: [Problem] {
        let ofSources = try? store.readCommitted { reader in
            try reader.sources().filter(\.source.isEnabled).flatMap { found in
                found.source.problems(
                    status(of: found.id), doubtedKeys: try reader.doubtedKeyCount(in: found.id))
            }
        }
        return problems.all(showsFiles: false, and: ofSources ?? [])
    }
}

extension ConversationDoor {
    /// The conversations of this daemon.
    init(_ conversations: RunningConversations) {
        self.init(
            prefixes: { conversations.prefixes(at: $0) }, connection: { conversations.connection(of: $0) },
            bridge: { conversations.bridge(of: $0) }, changed: { conversations.changed() },
            textWaits: { conversations.textWaits() })
    }
}

extension FolderDoor {
    /// The brokers of this daemon.
    init(_ brokers: RunningBrokers) {
        let pace = TestPace()
        self.init(
            names: { brokers.current.files.map(\.name) },
            rows: { wanted, _, _ in
                let shown = brokers.shown
                return { $0.brokers(shown, wanted) }
            }, reload: { brokers.reload() },
            test: { name, question, _ in
                guard let broker = brokers.current.folder.inForce(name) else { throw APIError.noBroker(name) }
                if !question.isLocal, let seconds = pace.wait(for: name, broker) {
                    throw APIError.triedJustNow(name, retryAfter: seconds)
                }
                return .takesLong {
                    guard let trial = brokers.test(name, version: MeshGateway.version) else {
                        throw APIError.conflict("Another test of a broker is under way; try again soon")
                    }
                    return { $0.brokerTest(broker, trial) }
                }
            }, unknown: { .noBroker($0) }, metrics: { _ in Metric.ofBrokers(brokers.shown.brokers) },
            refresh: { brokers.refresh($0) })
    }

    /// Those of which the database remembers something, while no daemon runs.
    static var rememberedBrokers: FolderDoor {
        FolderDoor(
            names: { [] },
            rows: { wanted, _, reader in
                let shown = try ShownBrokers(remembered: reader)
                return { $0.brokers(shown, wanted) }
            }, test: { name, _, _ in throw APIError.noBroker(name) }, unknown: { .noBroker($0) })
    }
}

extension APIError {
    fileprivate static func noBroker(_ name: String) -> APIError {
        .notFound("There is no broker \"\(name)\" in force; mesh-gateway mqtt status shows them")
    }
}

extension FolderDoor.Metric {
    fileprivate static func ofBrokers(_ brokers: [ShownBroker]) -> [FolderDoor.Metric] {
        func metric(
            _ name: StaticString, _ help: StaticString, isCounter: Bool = true, _ value: (ShownBroker) -> Int
        ) -> FolderDoor.Metric {
            FolderDoor.Metric(
                name, help, isCounter: isCounter, label: "broker", brokers.map { ($0.name, value($0)) })
        }
        return [
            metric(
                "mesh_gateway_broker_connected", "1 while a broker is connected, else 0.", isCounter: false
            ) {
                $0.state == "live" ? 1 : 0
            },
            metric(
                "mesh_gateway_broker_devices", "Devices that Home Assistant has from us there.", isCounter: false
            ) {
                $0.devices
            },
            metric("mesh_gateway_broker_connections_total", "How often it was connected.") { $0.connections },
            metric("mesh_gateway_broker_messages_published_total", "Messages to it.") { $0.published },
            metric("mesh_gateway_broker_bytes_published_total", "Topics and payloads of these.") {
                $0.publishedBytes
            },
            metric("mesh_gateway_broker_messages_received_total", "Messages from it.") { $0.received },
            metric("mesh_gateway_broker_messages_refused_total", "Messages that it did not take.") { $0.refused },
        ]
    }
}
