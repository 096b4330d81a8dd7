import Folders
import Gateway
import Glibc
import Log
import MeshModel
import Platform
import Store

// The targets of a service: one thread that sleeps until there is something to send, and one more for each request under way, at
// most three beside tests. Without targets there is no thread and no row. Registrations of apps and browsers are targets, too
// (Push/Registrations.swift).

public final class RunningTargets: Sendable {
    /// The folder's contents when it was last read, the active targets, and how they do.
    public struct State: Sendable {
        public var folder: FolderOfFiles<TargetFile>
        public var progress: [String: Progress] = [:]

        public init(_ folder: FolderOfFiles<TargetFile> = FolderOfFiles()) { self.folder = folder }

        public var files: [TargetFile] { folder.files }
        public var inForce: [Target] { folder.inForce }
        public var mistakesOfFolder: [Mistake] { folder.mistakesOfFolder }
    }

    /// How delivery to one target goes.
    public struct Progress: Sendable {
        public var row: TargetRow
        public var waiting = 0
        public var isFailing = false
        /// When what is over its allowance goes as a summary, in host milliseconds; nil if nothing is over.
        public var summaryAt: Int64?
        public var test: Test?

        public init(row: TargetRow, waiting: Int = 0, isFailing: Bool = false, test: Test? = nil) {
            (self.row, self.waiting, self.isFailing, self.test) = (row, waiting, isFailing, test)
        }
    }

    /// A notification that somebody has asked for to test a target.
    public struct Test: Hashable, Sendable {
        /// Host milliseconds.
        public var at: Int64
        /// nil while it is under way; empty if it has arrived.
        public var error: String?
    }

    struct Answer: Sendable {
        let target: String
        /// nil for a call.
        let id: Int64?
        let verdict: SendQueue.Verdict
    }

    struct Signals {
        var state = State()
        var isNew = false
        var isWoken = false
        var isStopping = false
        var answers: [Answer] = []
        /// What the disk cannot take.
        var unstored: [Dispatch] = []
        var tests: [String: Test] = [:]
        /// Tests that wait for a place, and how many are under way.
        var waitingTests: [Target] = []
        var runningTests = 0
        /// Targets whose test has arrived.
        var proven: [Target] = []
        /// Registrations whose test has found nobody there, and those that Apple's other host may know.
        var ended: [Target] = []
        var otherHosts: [Target] = []
        /// What the settings say about registrations, and those that can be told.
        var push = PushSettings()
        var devices: [Target] = []
        var thread: Thread?
        /// There is something to send, and the system had no thread for it.
        var lacksThread = false
        /// Requests under way.
        var running = 0
        /// Of those that were said last to fail in earnest.
        var failing: Set<String> = []
        /// What says to push services who sends; made with the first registration.
        var tokens: (web: PushTokens, apple: AppleTokens)?
    }

    public let folder: TargetsFolder
    let gateway: Gateway
    let logger: Logger
    let curl: Curl
    let clock: @Sendable () -> SendTime
    let publicURL: @Sendable () -> String?
    let seen: PushSight
    let signals = Monitor(Signals())
    /// Signalled when requests are to be given up.
    private let ending = WakeEvent()

    /// A notification as the token of a registration is shown it now; nil if it is not.
    public typealias PushSight = @Sendable (_ token: Int64, Dispatch, Reader) throws -> FeedRow?

    public convenience init(
        _ gateway: Gateway, folder: TargetsFolder, logger: Logger, push: PushSettings, seen: @escaping PushSight,
        publicURL: @escaping @Sendable () -> String?
    ) {
        self.init(
            gateway, folder: folder, logger: logger, curl: Curl(), push: push, seen: seen, publicURL: publicURL)
    }

    init(
        _ gateway: Gateway, folder: TargetsFolder, logger: Logger, curl: Curl,
        clock: @escaping @Sendable () -> SendTime = {
            SendTime(at: WallClock.milliseconds(), uptime: MonotonicClock.milliseconds())
        },
        push: PushSettings = PushSettings(), seen: @escaping PushSight = { _, told, _ in told.row },
        publicURL: @escaping @Sendable () -> String? = { nil }
    ) {
        (self.gateway, self.folder, self.logger) = (gateway, folder, logger)
        (self.curl, self.clock, self.publicURL, self.seen) = (curl, clock, publicURL, seen)
        signals.withLock { $0.push = push }
    }

    public var state: State { signals.withLock { $0.state } }

    public static var missingCurl: String { HTTPFailure.missingCurl }

    /// Why nothing can be sent; nil if it can.
    public var obstacle: Obstacle? {
        if !hasCurl { return Obstacle(Self.missingCurl, command: "sudo apt install curl") }
        return signals.withLock { $0.lacksThread ? Self.withoutThread : nil }
    }

    private static let withoutThread = Obstacle.lacking("the system has no thread for it")

    var hasCurl: Bool { curl.isThere }

    /// Names of targets that can get notifications, now or when their file is corrected; nil if the folder could never be read.
    public var names: Set<String>? {
        signals.withLock { signals in
            signals.state.folder.isKnown ? Set(signals.state.files.filter { !$0.isAlive }.map(\.name)) : nil
        }
    }

    /// Reads the folder again and applies what it says.
    @discardableResult
    public func reload() -> FolderChanges {
        let reading = folder.read()
        say(reading)
        return apply(reading)
    }

    /// Logs what is wrong in the folder.
    public func say(_ reading: FolderReading<TargetFile>) {
        for mistake in state.folder.taking(reading).allMistakes {
            logger.warning(
                "\(Problem.Kind.targetBroken): \(mistake)", fields: ["problem": Problem.Kind.targetBroken.rawValue])
        }
    }

    /// Activates what was read. A target whose file is broken stays as it was. Returns at once.
    ///
    /// - Returns: what has changed, which is logged.
    public func apply(_ reading: FolderReading<TargetFile>) -> FolderChanges {
        let hasRows =
            (try? gateway.store.readCommitted {
                try !$0.targets().isEmpty || !$0.dispatchCounts().isEmpty || !$0.registrations().isEmpty
            }) ?? false
        let (changes, hasTargets) = signals.notify { signals in
            let before = signals.state.inForce
            let changes = signals.state.folder.take(reading)
            // A test says nothing about a target that has been changed since.
            let same = Set(before).intersection(signals.state.inForce)
            let names = Set(same.map(\.name)).union(signals.devices.map(\.name))
            signals.tests = signals.tests.filter { names.contains($0.key) }
            signals.waitingTests.removeAll { !same.contains($0) && $0.registration == nil }
            signals.isNew = true
            signals.lacksThread = false
            if !signals.state.files.isEmpty || hasRows { startThread(&signals) }
            return (changes, !signals.state.inForce.isEmpty)
        }
        if hasTargets, !hasCurl {
            logger.warning(
                "\(Problem.Kind.targetFailing): \(HTTPFailure.missingCurl)",
                fields: ["problem": Problem.Kind.targetFailing.rawValue])
        }
        gateway.problems.changed()
        if !changes.isEmpty { logger.notice("targets: \(changes)") }
        return changes
    }

    /// Without one, what is to be sent waits for the next reload.
    func startThread(_ signals: inout Signals) {
        guard signals.thread == nil, !signals.isStopping else { return }
        signals.thread = Thread.start(named: "targets") { [self] in run() }
        signals.lacksThread = signals.thread == nil
        if signals.lacksThread { logger.error("nothing is sent to targets: \(Self.withoutThread.text)") }
    }

    /// Wakes those that show it when another target fails, or one no longer does.
    func sayWhoFails() {
        let isNew = signals.withLock { signals in
            let failing = Set(signals.state.progress.filter(\.value.isFailing).keys)
            defer { signals.failing = failing }
            return failing != signals.failing
        }
        if isNew { gateway.problems.changed() }
    }

    /// Rows wait, or the state of the disk or of a link has changed. Returns at once.
    public func wake() { signals.notify { $0.isWoken = true } }

    /// Sends what the disk cannot take, ahead of what waits. Its rows, when they come, are not sent again. Returns at once.
    public func tell(unstored: [Dispatch]) {
        signals.notify { signals in
            guard signals.thread != nil else { return }
            signals.unstored = UnstoredDispatches.newest(of: signals.unstored + unstored)
            signals.isWoken = true
        }
    }

    /// Sends one notification ahead of those that wait; ``progress(of:)`` has the result.
    ///
    /// - Returns: false if there is no active target of this name.
    public func test(_ name: String) -> Bool {
        let now = clock().at
        let isThere = signals.withLock { signals in
            guard let target = signals.state.inForce.first(where: { $0.name == name }) else { return false }
            if let test = signals.tests[name], test.error == nil { return true }
            signals.tests[name] = Test(at: now, error: nil)
            signals.waitingTests.append(target)
            return true
        }
        beginTests()
        return isThere
    }

    /// Runs as many tests at once as there are places for notifications.
    func beginTests() {
        while let target = signals.withLock({ signals in signals.nextTest() }) {
            let now = clock()
            let told =
                target.registration == nil
                ? Outgoing.test(of: target.name, at: now.at, link: publicURL()) : .testOfRegistration(at: now.at)
            begin(target, told, at: now) { [self] verdict in
                signals.notify { signals in
                    // The target may have been changed meanwhile.
                    let isSame = signals.state.inForce.contains(target) || signals.devices.contains(target)
                    switch verdict {
                    case .arrived where isSame:
                        signals.tests[target.name]?.error = ""
                        signals.proven.append(target)
                    case .refused(let why) where isSame, .partly(let why) where isSame,
                        .failed(let why, _, _) where isSame, .tooLong(let why) where isSame,
                        .unheard(let why, _) where isSame:
                        signals.tests[target.name]?.error = why
                    case .otherHost(let why) where isSame:
                        signals.tests[target.name]?.error = why
                        signals.otherHosts.append(target)
                    case .gone(let why) where isSame:
                        signals.tests[target.name]?.error = why
                        signals.ended.append(target)
                    // Nobody has tried it as it is now.
                    default: signals.tests[target.name] = nil
                    }
                    signals.isWoken = true
                    signals.runningTests -= 1
                    signals.running -= 1
                }
                beginTests()
            }
        }
    }

    /// Ends the thread and the requests under way, which are repeated after the next start.
    public func stop() {
        let thread = signals.notify { signals in
            signals.isStopping = true
            defer { signals.thread = nil }
            return signals.thread
        }
        ending?.signal()
        thread?.join()
        signals.wait(until: nil) { signals, _ in signals.running == 0 ? () : nil }
    }

    // MARK: requests

    /// Starts a request on a thread of its own. `done` has to decrement `running`.
    func begin(
        _ target: Target, _ told: Outgoing?, at now: SendTime, done: @escaping @Sendable (SendQueue.Verdict) -> Void
    ) {
        signals.withLock { $0.running += 1 }
        if let obstacle = target.registration.flatMap({ $0.obstacle(at: now) }) {
            return done(.refused(obstacle))
        }
        let request = told.map { target.request(for: $0, at: now.at) } ?? target.base
        if target.registration != nil, request.body == nil {
            return done(
                .failed("nothing can be sealed or signed on this computer", retryAfter: nil, mayHaveArrived: false))
        }
        let isRunning = Thread.detach(named: "request") { [self] in
            let outcome = curl.send(request, cancelled: ending?.descriptor)
            done(SendQueue.Verdict(outcome, of: target, at: clock().at))
        }
        if !isRunning { done(.failed("the system gives no more threads", retryAfter: nil, mayHaveArrived: false)) }
    }

    /// Where the web page shows what a row is about; nil if the page has no public address.
    func link(_ dispatch: Dispatch, _ sources: [FoundSource]) -> String? {
        guard let root = publicURL() else { return nil }
        let source = sources.first { $0.id == dispatch.row.source }?.source.uuid
        return root + (dispatch.row.link ?? source.flatMap { dispatch.row.view(in: $0) } ?? "")
    }

    /// Sleeps until there is something to do.
    ///
    /// - Parameter deadline: milliseconds of uptime.
    /// - Returns: what is new; nil if the thread is to end.
    func wait(until deadline: Int64?) -> Signals? {
        let left = deadline.map { UInt64(min(max(0, $0 - clock().uptime), 86_400_000)) }
        let time = left.map { MonotonicClock.nanoseconds() + $0 * 1_000_000 }
        let found: Signals? = signals.wait(until: time) { signals, isLate in
            guard signals.isNew || signals.isWoken || signals.isStopping || !signals.answers.isEmpty || isLate else {
                return nil
            }
            defer {
                (signals.isNew, signals.isWoken, signals.answers, signals.proven) = (false, false, [], [])
                (signals.unstored, signals.ended, signals.otherHosts) = ([], [], [])
            }
            return signals
        }
        return found.flatMap { $0.isStopping ? nil : $0 }
    }
}

extension RunningTargets.Signals {
    /// Forgets tests of registrations that have ended, or are others now. One that is under way says nothing of them.
    mutating func forgetTests() {
        for test in waitingTests where test.registration != nil && !devices.contains(test) { tests[test.name] = nil }
        waitingTests.removeAll { $0.registration != nil && !devices.contains($0) }
        tests = tests.filter { name, _ in
            PushRegistration.id(ofTarget: name) == nil || devices.contains { $0.name == name }
        }
    }

    /// The next test to begin; nil if there is none, or no place for it.
    fileprivate mutating func nextTest() -> Target? {
        guard !isStopping, runningTests < SendQueue.places, !waitingTests.isEmpty else { return nil }
        runningTests += 1
        return waitingTests.removeFirst()
    }
}

extension Curl {
    var isThere: Bool { access(path, X_OK) == 0 }
}
