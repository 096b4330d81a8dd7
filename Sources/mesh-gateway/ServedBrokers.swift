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

extension BrokersDoor {
    /// What the pages show of the brokers of this daemon.
    init(_ brokers: RunningBrokers) {
        let pace = TestPace<Broker>()
        self.init(
            report: { Report(brokers) },
            test: { name in
                guard let broker = brokers.current.folder.inForce(name),
                    let trial = brokers.test(name, version: MeshGateway.version)
                else { return .busy }
                return .done(ShownBrokerTest(broker, trial))
            }, refresh: { brokers.refresh($0) }, reload: { _ = brokers.reload() },
            pause: { name in
                brokers.current.folder.inForce(name).flatMap { pace.wait(for: name, $0) }
            })
    }
}

extension BrokersDoor.Report {
    init(_ brokers: RunningBrokers) {
        let (state, reports) = (brokers.current, brokers.reports)
        let shown = state.files.map { file in
            ShownBroker(
                file, inForce: state.folder.inForce(file.name), reports.first { $0.broker.name == file.name },
                obstacle: state.obstacles[file.name])
        }
        self.init(
            folder: brokers.folder.path, brokers: shown,
            mistakes: state.mistakesOfFolder,
            missingLibrary: state.missing.map { "\($0)" })
    }
}

extension ShownBroker {
    fileprivate init(_ file: BrokerFile, inForce: Broker?, _ status: BrokerStatus?, obstacle: Obstacle?) {
        self.init(file.name, state: status?.report.state.rawValue ?? (inForce != nil ? "stopped" : "broken"))
        mistakes = file.mistakes
        (address, homeAssistant) = (inForce?.address, inForce?.shownNodes)
        (reason, self.obstacle) = (obstacle?.text, obstacle)
        guard let status else { return }
        let report = status.report
        (reason, version, maySubscribe) = (report.reason, report.protocolVersion, report.maySubscribe)
        awaySince = report.awaySince
        (connections, published, publishedBytes) = (report.connections, report.published, report.publishedBytes)
        (received, refused, refusal) = (report.received, report.refused, report.refusal)
        (devices, deleted) = (status.devices, status.deleted)
    }
}

extension ShownBrokerTest {
    fileprivate init(_ broker: Broker, _ trial: TrialReport) {
        self.init(broker.name, address: broker.address)
        (isConnected, reason, version) = (trial.isConnected, trial.reason, trial.protocolVersion)
        (mayRead, mayPublish, bytes) = (trial.mayRead, trial.mayPublish, trial.bytes)
        maximumPacketSize = trial.limits?.maximumPacketSize
        keepAlive = trial.limits?.keepAlive ?? broker.keepAlive
        retains = trial.limits?.retains
        devices = trial.devices.map { .init(object: $0.object, name: $0.name, entities: $0.entities) }
    }
}
