import Folders
import Routes
import Store
import Synchronization

@testable import Notifications

/// Who tells apps and browsers, of which nothing is at work: what it is asked is noted. Addresses are looked at as the program
/// looks at them.
final class MadeUpPushes: Sendable {
    let hasAPNs = Mutex(false)
    /// How often it was said that there are others.
    let changes = Mutex(0)
    let tested = Mutex<[Int64]>([])
    let progress = Mutex<[Int64: PushDoor.Progress]>([:])

    static let key = "B" + String(repeating: "a", count: 86)
    /// Those of RFC 8291's example.
    static let p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    /// A registration's body.
    static func body(
        _ endpoint: String = "https://push.example.org/secret", p256dh: String = p256dh, auth: String = auth,
        more: String = ""
    ) -> String {
        #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"\#(p256dh)","auth":"\#(auth)"}\#(more)}"#
    }

    static func apple(_ token: String, more: String = "") -> String {
        #"{"platform":"ios","push_token":"\#(token)"\#(more)}"#
    }

    var door: PushDoor {
        PushDoor(
            key: { Self.key },
            refusal: { address in
                guard case .web(let endpoint, let p256dh, let auth) = address else { return nil }
                let hosts = PushHosts([(host: "ntfy.lan", port: 8443)])
                if let refusal = PushEndpoint.refusal(endpoint, allowed: hosts) { return refusal }
                do throws(BadValue) {
                    _ = try BrowserKeys(p256dh: p256dh, auth: auth)
                    return nil
                } catch { return error.text }
            },
            hasAPNs: { self.hasAPNs.withLock { $0 } },
            rules: { [.init("battery"), .init("direct-message", isBuiltIn: true)] },
            progress: { registration, _ in self.progress.withLock { $0[registration.id] ?? .init() } },
            changed: { self.changes.withLock { $0 += 1 } },
            test: { id in
                self.tested.withLock { $0.append(id) }
                self.progress.withLock { $0[id, default: .init()].test = .init(at: TestGateway.now, error: nil) }
                return true
            })
    }
}

extension PushDoor {
    static var quiet: PushDoor { MadeUpPushes().door }
}
