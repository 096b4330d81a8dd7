import MeshProtocol
import RadioLink

/// What the radio has answered to getters whose answers are in no handshake. Each is asked once, however many clients ask
/// at a time: what administers a radio goes past its queue, and eight apps that connect at once ask for all of it.
struct KeptAnswers: Sendable {
    typealias Completion = @Sendable (AdminOutcome) -> Void

    enum Step: Sendable {
        case known(AdminOutcome)
        /// To be asked; ``take(_:to:asked:at:)`` follows with the same number.
        case ask(UInt64)
        /// Another client has asked; the answer comes to both.
        case wait
    }

    private struct Question: Hashable {
        var variant: UInt32
        var generation: UInt64
    }

    /// Nanoseconds for which a state is taken for the present one, and a getter without an answer is not repeated.
    private static let lifetime: MonotonicTime = 10_000_000_000

    private var known: [UInt32: (outcome: AdminOutcome, until: MonotonicTime)] = [:]
    private var waiting: [Question: [Completion]] = [:]
    /// Counts what makes answers old, so that one to an older question is not kept.
    private var generation: UInt64 = 0

    mutating func step(_ order: AdminOrder, at now: MonotonicTime, _ completion: @escaping Completion) -> Step {
        if let (outcome, until) = known[order.variant], now < until { return .known(outcome) }
        let question = Question(variant: order.variant, generation: generation)
        waiting[question, default: []].append(completion)
        return waiting[question]?.count == 1 ? .ask(generation) : .wait
    }

    /// - Returns: who waits for it.
    mutating func take(
        _ outcome: AdminOutcome, to order: AdminOrder, asked generation: UInt64, at now: MonotonicTime
    ) -> [Completion] {
        if generation == self.generation {
            switch outcome {
            // Texts stay until somebody sets them.
            case .answered(.payload, _) where order.asksForText: known[order.variant] = (outcome, .max)
            case .answered, .silent: known[order.variant] = (outcome, now + Self.lifetime)
            case .notConnected: break
            }
        }
        return waiting.removeValue(forKey: Question(variant: order.variant, generation: generation)) ?? []
    }

    /// Something was set, or it is another session: the radio is asked anew.
    mutating func forget() {
        known = [:]
        generation += 1
    }
}
