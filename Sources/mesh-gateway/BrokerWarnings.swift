import Configuration
import Folders
import Glibc
import MQTTBridge
import Notifications

extension ConfigWarning {
    /// Passwords that go in clear text to an address that is not known to be local, secrets that others can read, and files that the
    /// service cannot.
    static func brokers(besideFile file: String) -> [ConfigWarning] {
        (BrokersFolder(besideFile: file).read().files ?? []).flatMap { file in
            guard let broker = file.broker else { return [ConfigWarning]() }
            return clearPassword(of: broker, in: file) + broker.files.compactMap(warning)
        }
    }

    private static func clearPassword(of broker: Broker, in file: BrokerFile) -> [ConfigWarning] {
        guard broker.sendsPasswordInClear else { return [] }
        return [
            ConfigWarning(
                name: "clear-password", origin: .file(path: broker.path, line: file.urlLine ?? 1),
                text: "the password for \(broker.address) goes out in clear text; write mqtts:// if the broker has TLS")
        ]
    }

    private static func warning(_ named: Broker.NamedFile) -> ConfigWarning? {
        if named.isSecret, let text = SecretFile.warning(named.path, folder: "brokers.d") {
            return ConfigWarning(name: "open-secret", origin: nil, text: text)
        }
        guard access(named.path, F_OK) == 0, ServiceUser.found != nil, !ServiceUser.may(R_OK, named.path) else {
            return nil
        }
        return ConfigWarning(
            name: "hidden-file", origin: nil, text: "\(named.path): \(SecretFile.advice(named.path))")
    }
}
