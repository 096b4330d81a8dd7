import MeshModel
import MeshProtocol

/// What became of a question or an order to the radio about itself.
public enum AdminOutcome: Sendable {
    /// - Parameter radioTime: the radio's clock then, in seconds since 1970; nil while it has none.
    case answered(AdminAnswer, radioTime: UInt32?)
    /// The radio has not answered in time. It may have obeyed all the same.
    case silent
    /// There is no live session, or it ended before the answer came.
    case notConnected
}

/// The questions that wait for their answers.
struct AdminCalls: Sendable {
    /// Longer than a radio takes that is busy on the air. One on native USB that pauses for 20 s (SerialReference 1.7)
    /// is asked again by a person.
    static let patience = 5 * RadioSession.second
    /// A session is configured again after a change of settings.
    static let patienceForSession = 60 * RadioSession.second

    struct Call: Sendable {
        /// By which the owner of the session knows it.
        var token: Int
        var request: AdminRequest
        /// Of the packet; nil: it waits for the session to get live.
        var id: PacketID?
        var due: MonotonicTime
    }

    var waiting: [Call] = []
    /// The settings are to be read again as soon as everything that was asked is answered.
    var mustRereadSettings = false

    var deadline: MonotonicTime { waiting.map(\.due).min() ?? .max }
}

/// Questions to the radio about itself. They go out at once, past the delegate's packets: they cost no airtime, and a
/// person waits. The answers stay between the session and who has asked, because they hold secrets.
extension RadioSession {
    /// - Parameter token: comes back with ``Output/answered(_:_:)``.
    mutating func ask(_ request: AdminRequest, token: Int, at now: MonotonicTime) {
        guard phase != .idle else { return outputs.append(.answered(token, .notConnected)) }
        // The radio would drop the frame without a word (SerialReference 8.1).
        guard request.encoded().count <= Self.longestPayload else {
            return outputs.append(.answered(token, .answered(.refused(.tooLarge), radioTime: nil)))
        }
        // Before the session is live the question waits for that: the time for its answer begins when it goes out.
        admin.waiting.append(.init(token: token, request: request, due: now + AdminCalls.patienceForSession))
        if phase == .live, !admin.mustRereadSettings { askWhatWaits(at: now) }
    }

    private static let longestPayload = 233

    /// The session is live.
    mutating func askWhatWaits(at now: MonotonicTime) {
        guard let number = snapshot?.number else { return }
        for place in admin.waiting.indices where admin.waiting[place].id == nil {
            admin.waiting[place].id = ask(admin.waiting[place].request.encoded(), from: number)
            admin.waiting[place].due = now + AdminCalls.patience
            if let seconds = admin.waiting[place].request.restartsIn {
                watch.restartExpectedUntil = now + (seconds + Self.longestRestart) * Self.second
            }
        }
    }

    /// Seconds: a slow board starts for half a minute.
    private static let longestRestart: MonotonicTime = 60

    /// Reads the radio's settings once more, because they have changed. A handshake ends what was asked before it: an order
    /// that is under way is answered first, and what is asked from now on waits until the session is live again.
    mutating func readAgain(at now: MonotonicTime) {
        guard phase == .live else { return }
        admin.mustRereadSettings = true
        readAgainWhenAnswered(at: now)
    }

    private mutating func readAgainWhenAnswered(at now: MonotonicTime) {
        guard admin.mustRereadSettings, !admin.waiting.contains(where: { $0.id != nil }) else { return }
        startHandshake(at: now, wakeUp: .usual)
    }

    /// An admin packet to the radio itself. `want_response`, as setters and getters alike keep silent without
    /// (SerialReference 4.13).
    mutating func ask(_ payload: [UInt8], from number: NodeNumber) -> PacketID {
        let id = random() | 1
        let data = MeshData(port: .admin, payload: payload, wantResponse: true)
        toWrite.append(
            .message(.packet(MeshPacket(from: number, to: number, id: id, payload: .decoded(data), hopLimit: 3))))
        return id
    }

    /// Whether this answers a question, and so is of interest to nobody else.
    ///
    /// - Parameter packet: from the radio itself.
    mutating func takeAnswer(_ packet: MeshPacket, _ data: MeshData, raw: [UInt8], at now: MonotonicTime) -> Bool {
        guard let place = admin.waiting.firstIndex(where: { $0.id == data.requestID }) else { return false }
        let answer: AdminAnswer?
        switch PacketContent(data) {
        case .routing(.error(let error)): answer = error == .none ? .done : .refused(error)
        case .admin:
            if case .passed = admin.waiting[place].request {
                answer = AdminAnswer(passing: raw)
            } else {
                answer = AdminAnswer(frame: raw)
            }
        default: answer = nil
        }
        guard let answer else { return false }
        let call = admin.waiting.remove(at: place)
        outputs.append(.answered(call.token, .answered(answer, radioTime: packet.rxTime)))
        readAgainWhenAnswered(at: now)
        return true
    }

    mutating func expireAdminCalls(at now: MonotonicTime) {
        for call in admin.waiting where call.due <= now {
            // One that never went out was not obeyed.
            outputs.append(.answered(call.token, call.id == nil ? .notConnected : .silent))
        }
        admin.waiting.removeAll { $0.due <= now }
        readAgainWhenAnswered(at: now)
    }

    /// The session starts over: what was asked in it is not answered any more.
    ///
    /// - Parameter all: also what was to be asked when it is live.
    mutating func endAdminCalls(all: Bool = false) {
        admin.mustRereadSettings = false
        let isEnded = { (call: AdminCalls.Call) in all || call.id != nil }
        for call in admin.waiting where isEnded(call) { outputs.append(.answered(call.token, .notConnected)) }
        admin.waiting.removeAll(where: isEnded)
    }
}

extension AdminRequest {
    /// Seconds after which the radio may restart because of it; nil: it does not. After a change of settings it does so by
    /// itself (DEFAULT_REBOOT_SECONDS).
    fileprivate var restartsIn: MonotonicTime? {
        switch self {
        case .setSection, .commitEdit: 7
        case .reboot(let seconds): MonotonicTime(exactly: seconds)
        // It forgets its nodes, and restarts.
        case .passed(let order) where order.variant == 100: 7
        case .passed(let order): order.reboot.flatMap { MonotonicTime(exactly: $0) }
        case .section, .channel, .metadata, .text, .setChannel, .setText, .fixPosition, .beginEdit, .order: nil
        }
    }
}
