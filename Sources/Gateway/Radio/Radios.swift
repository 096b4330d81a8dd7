import MeshModel
import Store
import Synchronization

/// The attached radios, in the order of the settings. There is one at least.
final class Radios: Sendable {
    private let list = Mutex<[AttachedRadio]>([])
    /// How many ask for handshakes.
    let handshakeInterests = Mutex(0)

    var all: [AttachedRadio] { list.withLock { $0 } }

    func add(_ radio: AttachedRadio) { list.withLock { $0.append(radio) } }

    /// - Parameter device: the link's setting.
    func at(_ device: String) -> AttachedRadio? { all.first { $0.device == device } }

    /// Who feeds a source now; nil: no link does.
    func feeding(_ source: SourceID) -> AttachedRadio? { all.first { $0.feeds(source) } }

    /// A link has lost its radio: others that left it to this one come back.
    func departed(from radio: AttachedRadio) {
        let others = all.filter { $0 !== radio }
        guard !others.isEmpty else { return }
        // Behind every decision that still saw the radio there.
        radio.store.enqueue(
            .immediate, { _ in },
            done: { _ in
                for other in others { other.comeBack(afterLossAt: radio.device) }
            })
    }
}
