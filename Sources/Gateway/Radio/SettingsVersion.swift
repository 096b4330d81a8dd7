import MeshProtocol
import Store
import Synchronization

/// The last number of any radio: two radios never have the same one.
private let lastVersion = Atomic<UInt64>(0)

/// A number that grows when a radio's settings may have become others: with each order to it and with its answer, and with each
/// handshake.
final class SettingsVersion: Sendable {
    private let number = Mutex<UInt64>(0)

    var value: UInt64 { number.withLock { $0 } }

    func grow() { number.withLock { $0 = lastVersion.add(1, ordering: .relaxed).newValue } }
}

extension AdminRequest {
    /// It changes nothing at the radio.
    var isQuestion: Bool {
        switch self {
        case .section, .channel, .metadata, .text: true
        case .passed(let order): if case .getter = order.kind { true } else { false }
        case .setSection, .setChannel, .setText, .fixPosition, .beginEdit, .commitEdit, .reboot, .order: false
        }
    }
}

extension Gateway {
    /// What was read of a source's radio under the same number is what it has; 0: no radio feeds the source.
    public func settingsVersion(of source: SourceID) -> UInt64 { radioFeeding(source)?.settingsVersion.value ?? 0 }
}
