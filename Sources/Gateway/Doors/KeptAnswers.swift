import MeshModel
import MeshProtocol
import RadioLink

// What the radio has answered to getters that the handshake does not answer. What administers a radio goes past its queue, and
// eight apps that connect at once ask for the same.
//
// 1. Each is asked once until the next handshake, however many clients ask; a refusal is kept like any other answer. Only how
//    the radio is connected, and that it is silent, are asked again after some seconds.
// 2. Clients that may only read have one question at a time among them all, and a bounded number until the next handshake: a
//    flood of getters for parts that no radio has keeps it busy for nobody.

struct KeptAnswers: Sendable {
    typealias Completion = @Sendable (AdminOutcome) -> Void

    enum Step: Sendable {
        case known(AdminOutcome)
        /// To be asked; ``take(_:to:at:)`` follows.
        case ask(Inquiry)
        /// The answer comes when the radio has been asked.
        case wait
        /// Too much is asked already.
        case refused
    }

    /// What the radio is asked.
    struct Inquiry: Sendable {
        let order: AdminOrder
        fileprivate let generation: UInt64
        fileprivate var key: Key { Key(subject: order.subject, generation: generation) }
    }

    fileprivate struct Key: Hashable {
        var subject: AdminOrder.Subject
        var generation: UInt64
    }

    private struct Waiting {
        var completions: [Completion] = []
        var isAsked = false
    }

    /// Nanoseconds for which a state is taken for the present one, and a getter without an answer is not repeated.
    private static let lifetime: MonotonicTime = 10_000_000_000
    /// Getters that the radio is asked at a time. They come before what waits for the mesh, and nobody needs many.
    private static let mostAsked = 8
    /// Answers that are kept. Those who may only read do not fill the room of the others.
    private static let (capacity, capacityForReaders) = (256, 64)

    private var known: [AdminOrder.Subject: (outcome: AdminOutcome, until: MonotonicTime)] = [:]
    private var waiting: [Key: Waiting] = [:]
    /// For clients that may only read: what the radio is asked now, and what it is asked next.
    private var askedForReaders: Key?
    private var line: [Inquiry] = []
    /// Counts what makes answers old, so that one to an older question is not kept.
    private var generation: UInt64 = 0

    mutating func step(
        _ order: AdminOrder, right: ClientRight, at now: MonotonicTime, _ completion: @escaping Completion
    ) -> Step {
        if let (outcome, until) = known[order.subject], now < until { return .known(outcome) }
        let inquiry = Inquiry(order: order, generation: generation)
        guard waiting[inquiry.key] != nil || hasRoom(for: right) else { return .refused }
        var asker = waiting[inquiry.key] ?? Waiting()
        asker.completions.append(completion)
        defer { waiting[inquiry.key] = asker }
        if asker.isAsked { return .wait }
        if right == .read, askedForReaders != nil {
            if asker.completions.count == 1 { line.append(inquiry) }
            return .wait
        }
        // Somebody who may do more does not wait in line for those who may not.
        line.removeAll { $0.key == inquiry.key }
        if right == .read { askedForReaders = inquiry.key }
        asker.isAsked = true
        return .ask(inquiry)
    }

    private func hasRoom(for right: ClientRight) -> Bool {
        let count = known.count + waiting.count
        guard right > .read else { return count < Self.capacityForReaders }
        return count < Self.capacity && waiting.values.count { $0.isAsked } < Self.mostAsked
    }

    /// - Returns: who waits for it, and what the radio is to be asked next.
    mutating func take(
        _ outcome: AdminOutcome, to inquiry: Inquiry, at now: MonotonicTime
    ) -> (askers: [Completion], next: Inquiry?) {
        let (order, key) = (inquiry.order, inquiry.key)
        if key.generation == generation {
            switch outcome {
            case .answered where !order.asksForConnections: known[order.subject] = (outcome, .max)
            case .answered, .silent: known[order.subject] = (outcome, now + Self.lifetime)
            case .notConnected: break
            }
        }
        let askers = waiting.removeValue(forKey: key)?.completions ?? []
        guard askedForReaders == key else { return (askers, nil) }
        let next = line.isEmpty ? nil : line.removeFirst()
        askedForReaders = next?.key
        if let next { waiting[next.key]?.isAsked = true }
        return (askers, next)
    }

    /// Something was set, or it is another session: the radio is asked again.
    mutating func forget() {
        known = [:]
        generation += 1
    }
}
