import Foundation
import Synchronization

/// What was asked of a store, and what of it the store has acknowledged: the measure for what a power cut may cost.
///
/// Things have a key and a value, both texts, such as "message 7" and "hello|queued". Instants are places in the record of
/// what was done to the disk (``RecordedDisk``).
final class Ledger: Sendable {
    private struct Step {
        /// nil: it is deleted.
        var value: String?
        var issued: Int
        var acknowledged: Int?
    }

    /// Changes that were asked for together: all of them are made, or none.
    struct Promise: Sendable {
        fileprivate var places: [(key: String, step: Int)] = []
    }

    private struct State {
        /// In order.
        var steps: [String: [Step]] = [:]
        /// Keys that came into being together.
        var groups: [[String]] = []
    }

    private let state: Mutex<State>
    private let instant: @Sendable () -> Int

    /// - Parameters:
    ///   - found: what is there and on disk at the start.
    ///   - instant: how many records there are.
    init(startingWith found: [String: String], instant: @escaping @Sendable () -> Int) {
        var start = State()
        for (key, value) in found { start.steps[key] = [Step(value: value, issued: -1, acknowledged: 0)] }
        state = Mutex(start)
        self.instant = instant
    }

    /// Notes what is about to be asked for.
    func issue(_ changes: [String: String?]) -> Promise {
        let now = instant()
        return state.withLock { state in
            var promise = Promise()
            if changes.count > 1, changes.keys.allSatisfy({ state.steps[$0] == nil }) {
                state.groups.append(Array(changes.keys))
            }
            for (key, value) in changes {
                promise.places.append((key, state.steps[key, default: []].count))
                state.steps[key, default: []].append(Step(value: value, issued: now, acknowledged: nil))
            }
            return promise
        }
    }

    /// It has been made, says the store.
    func acknowledge(_ promise: Promise) {
        let now = instant()
        state.withLock { state in
            for (key, step) in promise.places { state.steps[key]![step].acknowledged = now }
        }
    }

    /// What is wrong with what was found after a power cut at an instant; empty when nothing is.
    func violations(in found: [String: String], at cut: Int) -> [String] {
        state.withLock { state in
            var wrong: [String] = []
            for (key, steps) in state.steps {
                let last = steps.lastIndex { $0.acknowledged.map { $0 <= cut } == true }
                let value = found[key]
                if let last, steps[last].value == value { continue }
                // Asked for and not acknowledged: it may have been made.
                let later = steps[((last ?? -1) + 1)...].filter { $0.issued <= cut }
                if later.contains(where: { $0.value == value }) || last == nil && value == nil { continue }
                wrong.append(
                    "\(key): \(value ?? "nothing"), but \(last.map { steps[$0].value ?? "nothing" } ?? "unasked")"
                        + " was acknowledged")
            }
            for key in found.keys where state.steps[key] == nil { wrong.append("\(key): nobody asked for it") }
            for group in state.groups where group.count(where: { found[$0] != nil }) % group.count != 0 {
                wrong.append("\(group): only a part of them is there")
            }
            return wrong
        }
    }
}
