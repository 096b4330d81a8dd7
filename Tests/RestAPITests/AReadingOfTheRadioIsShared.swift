import Gateway
import HTTPServer
import Platform
import Store
import Synchronization
import Testing

@testable import Routes

/// One reading of a radio at a time; those who want the same get the same, also a little later, unless something was written since.
@Suite struct AReadingOfTheRadioIsShared {
    /// A radio that answers when the test wants.
    private final class Desk: Sendable {
        private static let source = SourceID(rawValue: 1)

        private final class Version: Sendable { let number = Mutex<UInt64>(1) }

        private let state = Monitor((begun: 0, allowed: 0))
        private let version: Version
        let readings: RadioReadings

        init() {
            let version = Version()
            self.version = version
            readings = RadioReadings { _ in version.number.withLock { $0 } }
        }

        func write() { version.number.withLock { $0 += 1 } }

        /// How often the radio was asked.
        var begun: Int { state.withLock { $0.begun } }

        func allow(_ count: Int) { state.notify { $0.allowed += count } }

        func ask(
            _ what: String = "channels", for token: Int64? = 1, within time: Duration = .seconds(60),
            refusal: RadioRefusal? = nil
        ) -> Asked {
            let response = readings.answer(
                what, of: Self.source, for: token, within: time,
                { [state] () throws(RadioRefusal) in
                    let number = state.notify { state in
                        state.begun += 1
                        return state.begun
                    }
                    state.wait(until: nil) { state, _ in state.allowed >= number ? () : nil }
                    if let refusal { throw refusal }
                    return "\(what) \(number)"
                }
            ) { outcome in
                switch outcome {
                case .read(let text): Response(body: .bytes(Array(text.utf8)))
                case .refused: Response(status: 503)
                case .busy: Response(status: 429)
                }
            }
            return Asked(response)
        }
    }

    /// Who waits for an answer.
    private final class Asked: Sendable {
        private final class Given: Sendable { let value = Mutex<(status: Int, text: String)?>(nil) }

        private let thread: Thread
        private let given: Given

        init(_ response: Response) {
            let given = Given()
            self.given = given
            thread = Thread {
                guard let answer = try? Answer(response) else { return }
                given.value.withLock { $0 = (answer.status, answer.text) }
            }
        }

        var status: Int? { given.value.withLock { $0?.status } }

        /// Waits for it.
        func end() -> String {
            thread.join()
            return given.value.withLock { $0?.text } ?? ""
        }
    }

    @Test func whoWantsTheSameGetsTheSame() {
        let desk = Desk()
        let first = desk.ask()
        #expect(eventually { desk.begun == 1 })
        let others = (2...5).map { desk.ask(for: $0) }
        #expect(eventually { desk.readings.waitingCount == 5 })
        desk.allow(1)
        #expect(first.end() == "channels 1")
        for other in others { #expect(other.end() == "channels 1") }
        #expect(desk.begun == 1)
        // It is given once more.
        #expect(desk.ask().end() == "channels 1")
        // Something else is asked for behind it.
        desk.allow(1)
        #expect(desk.ask("metadata").end() == "metadata 2")
    }

    @Test func unlessSomethingWasWritten() {
        let desk = Desk()
        let first = desk.ask()
        #expect(eventually { desk.begun == 1 })
        // Whoever asks from now on wants what is there now.
        desk.write()
        let second = desk.ask(for: 2)
        #expect(eventually { desk.readings.waitingCount == 2 })
        desk.allow(1)
        #expect(first.end() == "channels 1")
        #expect(second.status == nil)
        desk.allow(1)
        #expect(second.end() == "channels 2")
        #expect(desk.ask().end() == "channels 2")
        desk.write()
        desk.allow(1)
        #expect(desk.ask().end() == "channels 3")
    }

    @Test func sixteenWaitAndFourOfAToken() {
        let desk = Desk()
        let first = (0..<4).map { _ in desk.ask(for: 1) }
        #expect(eventually { desk.readings.waitingCount == 4 })
        let refused = desk.ask(for: 1)
        _ = refused.end()
        #expect(refused.status == 429)
        let others = (0..<12).map { number in desk.ask(for: Int64(2 + number / 4)) }
        #expect(eventually { desk.readings.waitingCount == 16 })
        for token in [9, nil] as [Int64?] {
            let refused = desk.ask(for: token)
            _ = refused.end()
            #expect(refused.status == 429)
        }
        desk.allow(100)
        for asked in first + others { #expect(asked.end() == "channels 1") }
    }

    /// It is told so, and its place is another one's.
    @Test func whoHasWaitedTooLongWaitsNoMore() {
        let desk = Desk()
        let first = (0..<4).map { _ in desk.ask(within: .milliseconds(20)) }
        for asked in first {
            _ = asked.end()
            #expect(asked.status == 504)
        }
        let next = desk.ask()
        #expect(eventually { desk.readings.waitingCount == 1 })
        desk.allow(2)
        #expect(next.end().hasPrefix("channels"))
    }

    @Test func aRefusalIsNotKept() {
        let desk = Desk()
        desk.allow(1)
        let refused = desk.ask(refusal: .silent)
        _ = refused.end()
        #expect(refused.status == 503)
        desk.allow(1)
        #expect(desk.ask().end() == "channels 2")
    }
}
