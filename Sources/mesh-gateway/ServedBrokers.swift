import Configuration
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
                guard let broker = brokers.current.files.compactMap(\.broker).first(where: { $0.name == name }),
                    let trial = brokers.test(name, version: MeshGateway.version)
                else { return .busy }
                return .done(ShownBrokerTest(broker, trial))
            }, refresh: { brokers.refresh($0) }, reload: { _ = brokers.reload() },
            pause: { name in
                brokers.current.files.compactMap(\.broker).first { $0.name == name }
                    .flatMap { pace.wait(for: name, $0) }
            })
    }
}

extension BrokersDoor.Report {
    init(_ brokers: RunningBrokers) {
        let (state, reports) = (brokers.current, brokers.reports)
        let shown = state.files.map { file in
            ShownBroker(file, reports.first { $0.broker.name == file.name }, isMissing: state.missing != nil)
        }
        self.init(
            folder: brokers.folder.path, brokers: shown,
            mistakes: state.mistakesOfFolder.map(RuleReport.Mistake.init),
            missingLibrary: state.missing.map { "\($0)" })
    }
}

extension RuleReport.Mistake {
    init(_ mistake: BrokerMistake) { self.init(file: mistake.file, line: mistake.line, text: mistake.text) }
}

extension ShownBroker {
    fileprivate init(_ file: BrokerFile, _ status: BrokerStatus?, isMissing: Bool) {
        self.init(file.name, state: status?.report.state.rawValue ?? (file.mistakes.isEmpty ? "stopped" : "broken"))
        mistakes = file.mistakes.map(RuleReport.Mistake.init)
        (address, homeAssistant) = (file.broker?.address, file.broker?.shownNodes)
        if status == nil, isMissing { reason = "libmosquitto is missing" }
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
