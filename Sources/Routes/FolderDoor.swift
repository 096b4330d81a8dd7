import Folders
import HTTPServer
import JSON
import Platform
import Store

/// What works by the files of a folder, as REST and the command line see it: the rules, the targets or the brokers. Their room
/// prints it; nobody here knows what a file means.
public struct FolderDoor: Sendable {
    /// Who asks, and for what.
    public struct Question {
        /// Of users of this machine: they see the names of files and what stands in them, and may try things as often as they like.
        public var isLocal: Bool
        /// How many rows of a log, or of what a test shows.
        public var limit = 50
        /// Of a test: something that might happen, in words.
        public var event: String?
        /// Of a test: as this target would get it.
        public var target: String?
        /// By what it takes to see something.
        public var maySee: (Set<FeedRow.Need>) -> Bool = { _ in true }
        /// Likewise, and not muted.
        public var sees: (FeedRow) throws -> Bool = { _ in true }

        public init(isLocal: Bool) { self.isLocal = isLocal }

        /// Of all rows.
        public var all: RowsWanted { RowsWanted(showsFiles: isLocal) }

        public func only(_ name: String) -> RowsWanted { RowsWanted(named: name, showsFiles: isLocal) }
    }

    /// Prints the members of a page behind `schema` and `via`.
    public typealias Members = @Sendable (inout JSONWriter) -> Void

    public enum TestAnswer: Sendable {
        case shown(Members)
        /// It is under way, and the rows say what becomes of it.
        case begun
        /// Blocks for up to 20 seconds. Throws an ``APIError``.
        case takesLong(@Sendable () throws -> Members)
    }

    /// What Prometheus is told of each row.
    public struct Metric: Sendable {
        public let name: StaticString
        public let help: StaticString
        /// It only grows.
        public let isCounter: Bool
        /// What its rows are, such as "target".
        public let label: StaticString
        public let values: [(name: String, value: Int)]

        public init(
            _ name: StaticString, _ help: StaticString, isCounter: Bool = false, label: StaticString,
            _ values: [(name: String, value: Int)]
        ) {
            (self.name, self.help, self.isCounter, self.label, self.values) = (name, help, isCounter, label, values)
        }
    }

    /// The names that there are.
    public let names: @Sendable () -> [String]
    public let rows: @Sendable (RowsWanted, Question, Reader) throws -> Members
    /// Reads the folder again.
    public let reload: @Sendable () -> Void
    /// Throws an ``APIError``, or what the store throws.
    public let test: @Sendable (_ name: String, Question, Reader) throws -> TestAnswer
    /// What is answered where nothing has the name, or nothing in force.
    public let unknown: @Sendable (_ name: String) -> APIError
    public let metrics: @Sendable (Reader) throws -> [Metric]
    /// What they have told about something, and why not more; nil: they tell nothing.
    public let told: (@Sendable (RuleFiring.Subject, Question, Reader) throws -> Members)?
    /// Does everything again that was done once, and answers false where nothing of the name is in force; nil: there is nothing to do.
    public let refresh: (@Sendable (_ name: String) -> Bool)?

    public init(
        names: @escaping @Sendable () -> [String],
        rows: @escaping @Sendable (RowsWanted, Question, Reader) throws -> Members,
        reload: @escaping @Sendable () -> Void = {},
        test: @escaping @Sendable (String, Question, Reader) throws -> TestAnswer,
        unknown: @escaping @Sendable (String) -> APIError,
        metrics: @escaping @Sendable (Reader) throws -> [Metric] = { _ in [] },
        told: (@Sendable (RuleFiring.Subject, Question, Reader) throws -> Members)? = nil,
        refresh: (@Sendable (String) -> Bool)? = nil
    ) {
        (self.names, self.rows, self.reload, self.test) = (names, rows, reload, test)
        (self.unknown, self.metrics, self.told, self.refresh) = (unknown, metrics, told, refresh)
    }
}

extension API {
    /// What a test shows: at once, or from a thread of its own, while the client waits without one.
    ///
    /// - Parameters:
    ///   - what: is read for it.
    ///   - response: how it goes out.
    public func tested(
        _ door: FolderDoor, _ name: String, _ question: FolderDoor.Question, reading what: String,
        as response: @escaping @Sendable (FolderDoor.Members) -> Response
    ) throws(APIError) -> Response {
        switch try read(what, { try door.test(name, question, $0) }) {
        case .shown(let members): return response(members)
        case .begun: return response(try read(what) { try door.rows(question.only(name), question, $0) })
        case .takesLong(let run):
            return Response(
                body: .later(
                    LaterAnswer { answer in
                        let failure = APIError.failed("Failed to test \"\(name)\"").response
                        let isStarted = Thread.detach(named: "test") {
                            do { answer.give(response(try run())) } catch {
                                answer.give((error as? APIError)?.response ?? failure)
                            }
                        }
                        if !isStarted { answer.give(failure) }
                    }))
        }
    }
}
