import Gateway
import HTTPServer
import Platform
import Store
import Synchronization

// Questions to a radio that clients wait for.
//
// A radio answers one after the other, and one that is silent, or is being configured, takes seconds to a minute. So nobody asks
// it on a thread that others wait for:
//
//     route --ask--> kept for five seconds, unless something was written since --> at once
//                \--> waits, with all who want the same --> a thread for each radio, while somebody asks it --> all of them
//
// One reading that began before something was written is none for those who ask after it.

/// Reads from radios what several may want at once.
public final class RadioReadings: Sendable {
    /// Nanoseconds for which what was read is given again.
    static let freshTime: UInt64 = 5_000_000_000
    /// Those who may wait, in all and of one token.
    static let places = 16
    static let placesOfToken = 4
    /// After which who waits is answered without the radio.
    public static let patience = Duration.seconds(20)

    /// What a reading came to.
    public enum Outcome<Value: Sendable>: Sendable {
        case read(Value)
        case refused(RadioRefusal)
        /// So many wait that it was not asked.
        case busy
    }

    private typealias Read = @Sendable () throws(RadioRefusal) -> any Sendable

    private struct Waiting {
        let what: String?
        let read: Read
        let token: Int64?
        /// What is asked for must not be older than this.
        let version: UInt64
        let answer: LaterAnswer
        let give: @Sendable (Result<any Sendable, RadioRefusal>) -> Void
    }

    private struct Radio {
        var waiting: [Waiting] = []
        var kept: [String: (value: any Sendable, version: UInt64, readAt: UInt64)] = [:]
        var isAsked = false
    }

    private let version: @Sendable (SourceID) -> UInt64
    private let radios = Mutex<[SourceID: Radio]>([:])

    /// - Parameter version: a number that changes when something is written to the radio of a source, or it is another one.
    init(version: @escaping @Sendable (SourceID) -> UInt64) { self.version = version }

    /// How many wait.
    var waitingCount: Int { radios.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

    /// Answers with what is read of a radio, at once or later.
    ///
    /// - Parameters:
    ///   - what: names what is read, for those who want the same; nil: it is done for this one alone, such as a change.
    ///   - token: of the client; nil: a user of this machine, where only the bound on all together counts.
    ///   - time: after which ``late`` is the answer.
    ///   - read: asks the radio; called on a thread of its own.
    ///   - page: what is answered.
    public func answer<Value: Sendable>(
        _ what: String?, of source: SourceID, for token: Int64?, within time: Duration = patience,
        late: @escaping @Sendable () -> Response = { APIError.radioTooSlow.response },
        _ read: @escaping @Sendable () throws(RadioRefusal) -> Value,
        page: @escaping @Sendable (Outcome<Value>) -> Response
    ) -> Response {
        let version = version(source)
        // Another thread may have read the radio since, by a later time.
        let now = MonotonicClock.nanoseconds()
        if let what, let kept = kept(what, of: source, version: version, at: now) as? Value {
            return page(.read(kept))
        }
        let answer = LaterAnswer(within: time, late: late) { [self] answer in
            let waiting = Waiting(
                what: what, read: { () throws(RadioRefusal) in try read() }, token: token, version: version,
                answer: answer
            ) { result in
                switch result {
                case .success(let value as Value): answer.give(page(.read(value)))
                case .success: preconditionFailure("what has one name is of one type")
                case .failure(let refusal): answer.give(page(.refused(refusal)))
                }
            }
            if !add(waiting, to: source) { answer.give(page(.busy)) }
        }
        return Response(body: .later(answer))
    }

    private func kept(_ what: String, of source: SourceID, version: UInt64, at now: UInt64) -> (any Sendable)? {
        radios.withLock { radios in
            guard let kept = radios[source]?.kept[what], kept.version == version, now < kept.readAt + Self.freshTime
            else { return nil }
            return kept.value
        }
    }

    /// False: so many wait already.
    private func add(_ waiting: Waiting, to source: SourceID) -> Bool {
        let (isTaken, isFirst) = radios.withLock { radios -> (Bool, Bool) in
            // Those whose clients have left, or were told that it takes too long.
            for source in Array(radios.keys) { radios[source]?.waiting.removeAll { $0.answer.isUnwanted } }
            let all = radios.values.flatMap(\.waiting)
            let isOver =
                all.count >= Self.places
                || waiting.token.map { token in all.count { $0.token == token } >= Self.placesOfToken } ?? false
            if isOver { return (false, false) }
            radios[source, default: Radio()].waiting.append(waiting)
            let isFirst = radios[source]?.isAsked == false
            radios[source]?.isAsked = true
            return (true, isFirst)
        }
        if isFirst, !Thread.detach(named: "radio-reading", { self.run(source) }) { run(source) }
        return isTaken
    }

    private func run(_ source: SourceID) {
        while let next = next(of: source) {
            // Before the reading: what is written while it goes on may be in it or not.
            let version = version(source)
            let result: Result<any Sendable, RadioRefusal>
            do throws(RadioRefusal) { result = .success(try next.read()) } catch { result = .failure(error) }
            let now = MonotonicClock.nanoseconds()
            let served = radios.withLock { radios -> [Waiting] in
                guard var radio = radios[source] else { return [] }
                if let what = next.what, case .success(let value) = result { radio.kept[what] = (value, version, now) }
                let isServed = { (waiting: Waiting) in
                    waiting.answer === next.answer
                        || waiting.what != nil && waiting.what == next.what && waiting.version <= version
                }
                let served = radio.waiting.filter(isServed)
                radio.waiting.removeAll(where: isServed)
                radios[source] = radio
                return served
            }
            for waiting in served { waiting.give(result) }
        }
    }

    /// The first that still wants something; nil: nobody does.
    private func next(of source: SourceID) -> Waiting? {
        let now = MonotonicClock.nanoseconds()
        return radios.withLock { radios in
            radios[source]?.waiting.removeAll { $0.answer.isUnwanted }
            if let next = radios[source]?.waiting.first { return next }
            let kept = radios[source]?.kept.filter { now < $0.value.readAt + Self.freshTime } ?? [:]
            radios[source] = kept.isEmpty ? nil : Radio(kept: kept)
            return nil
        }
    }
}
