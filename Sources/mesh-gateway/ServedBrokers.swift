import Configuration
import Gateway
import Log
import MQTTBridge
import Routes
import Store

extension RunningBrokers {
    /// Those beside a configuration file, of a daemon.
    convenience init(
        _ gateway: Gateway, besideFile file: String, shares: @escaping @Sendable () -> [SharedPortReport],
        logger: Logger
    ) {
        self.init(
            gateway, folder: BrokersFolder(besideFile: file), facts: { GatewayFacts(gateway, shares()) }, logger: logger
        )
    }
}

extension GatewayFacts {
    /// What `mesh-gateway status` says is wrong, without what names files of this machine.
    fileprivate init(_ gateway: Gateway, _ shares: [SharedPortReport]) {
        self.init(version: MeshGateway.version)
        let ofSources = try? gateway.store.readCommitted { reader in
            try reader.sources().filter(\.source.isEnabled).flatMap { found in
                Routes.Problem.ofSource(
                    found.source, radio: gateway.status(of: found.id),
                    doubtedKeys: try reader.doubtedKeyCount(in: found.id))
            }
        }
        let all = Routes.Problem.ofGateway(gateway.store.health, shares, showsFiles: false) + (ofSources ?? [])
        problems = Routes.Problem.worstFirst(all).map { Problem($0.name, $0.advice) }
    }
}

extension ConfigWarning {
    /// A password that goes to an address outside of this house in clear text.
    static func brokers(besideFile file: String) -> [ConfigWarning] {
        BrokersFolder(besideFile: file).read().files.compactMap { file in
            guard let broker = file.broker, broker.sendsPasswordInClear else { return nil }
            return ConfigWarning(
                name: "clear-password", origin: .file(path: broker.path, line: file.urlLine ?? 1),
                text: "the password for \(broker.address) goes out in clear text; write mqtts:// if the broker has TLS")
        }
    }
}
