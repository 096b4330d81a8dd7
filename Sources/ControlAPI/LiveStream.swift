import Gateway
import HTTPServer
import JSON
import Routes
import Store
import Synchronization

/// What happens from now on, as lines of JSON (NDJSON), each an object by itself.
///
/// The first lines come before any event; they are made after listening has begun, so that nothing is lost in between.
struct LiveStream: Sendable {
    /// What one reading of the database gives: lines, and whether they are the last ones.
    struct Lines {
        var bytes: [UInt8] = []
        var areLast = false

        /// A line with an object in it.
        mutating func add(_ members: (inout JSONWriter) throws -> Void) rethrows {
            var json = JSONWriter(capacity: 512)
            try json.object { try members(&$0) }
            bytes += json.bytes
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    typealias Told = (missed: UInt64, events: [Event])

    private let listener: LiveEvents.Listener
    private let store: Store
    private let first: @Sendable (Reader) throws -> Lines
    private let next: @Sendable (Told, Reader) throws -> Lines

    /// - Parameters:
    ///   - first: called once.
    ///   - next: called with what was told since; it may have nothing to say about it.
    init(
        _ listener: LiveEvents.Listener, _ store: Store, first: @escaping @Sendable (Reader) throws -> Lines,
        next: @escaping @Sendable (Told, Reader) throws -> Lines
    ) {
        self.listener = listener
        self.store = store
        self.first = first
        self.next = next
    }

    private enum Stage { case first, next, over }

    var response: Response {
        let stage = Mutex(Stage.first)
        let body = LiveBody { [self] wake in
            while true {
                let lines: Lines
                switch stage.withLock({ $0 }) {
                case .over: return .end
                case .first: lines = try store.read(first)
                case .next:
                    let told = listener.nextEvents(orWake: wake)
                    if told.events.isEmpty, told.missed == 0 { return .nothing }
                    lines = try store.read { try next(told, $0) }
                }
                stage.withLock { $0 = lines.areLast ? .over : .next }
                if !lines.bytes.isEmpty { return .bytes(lines.bytes) }
            }
        }
        let type = (name: "Content-Type", value: "application/x-ndjson")
        return Response(headers: [type, Header.noSniff], body: .live(body))
    }
}

extension ControlAPI {
    func question(_ request: Request, _ reader: Reader) -> LocalQuestion {
        LocalQuestion(request: request, reader: reader, parameters: [], path: store.path, api: self)
    }

    /// Reads what a stream needs before it begins.
    func question<T>(_ call: Call, _ body: (LocalQuestion) throws -> T) throws(APIError) -> T {
        try read("the stream") { reader in
            try body(question(call.request, reader))
        }
    }
}
