import Configuration
import Gateway
import Glibc
import Log
import MeshModel
import Platform
import RadioShare
import Routes
import Store
import Synchronization
import Systemd

// The ports where Meshtastic's own programs find the radios.
//
// 1. Nothing of it keeps the daemon from starting: a port that is taken, an address that is not there yet, a source that is
//    not known yet are tried again every few seconds, by the main thread, and told meanwhile.
// 2. Ports that can be opened at the start share one thread. One that could not gets its own later; nobody else's
//    connection ends for it.
// 3. A reload takes away at once what is no longer allowed. What is to be allowed besides needs a restart.

final class SharedRadios: Sendable {
    private struct State {
        var waiting: [(setting: ShareSetting, problem: String?)]
        /// By ``ShareSetting/socketName``.
        var kept: [String: Int32]
        /// Each with the settings of its ports, in their order; nil: it is closed.
        var running: [(share: RadioShare, settings: [ShareSetting?])] = []
        /// They are not tried again: the system has no thread for them, or it is not known who may connect.
        var failed: [SharedPortReport] = []
        /// Nanoseconds of CLOCK_MONOTONIC.
        var due: UInt64 = 0
    }

    private let gateway: Gateway
    private let manager: ServiceManager?
    private let networks: AdmittedNetworks
    private let logger: Logger
    private let state: Mutex<State>

    private static let interval: UInt64 = 5_000_000_000

    /// - Parameters:
    ///   - handed: what systemd has handed over; those that an earlier process had kept are taken.
    ///   - manager: keeps the sockets for the next process.
    init(
        _ settings: Configuration, _ gateway: Gateway, handed: [HandedSocket], manager: ServiceManager?,
        networks: AdmittedNetworks, logger: Logger
    ) {
        (self.gateway, self.manager, self.networks, self.logger) = (gateway, manager, networks, logger)
        let names = Set(settings.shares.map(\.socketName))
        var kept: [String: Int32] = [:]
        for socket in handed where socket.isOfShare {
            if names.contains(socket.name), kept[socket.name] == nil, isListening(socket.descriptor) {
                kept[socket.name] = socket.descriptor
            } else {
                // Its line is gone.
                close(socket.descriptor)
                if !names.contains(socket.name) { manager?.keepNoLonger(socket.name) }
            }
        }
        state = Mutex(State(waiting: settings.shares.map { ($0, nil) }, kept: kept))
        if let mistake = settings.emptied.first { giveUp(because: mistake) }
    }

    private func giveUp(because mistake: ConfigurationError) {
        state.withLock { state in
            for (setting, _) in state.waiting {
                let reason = "The radio is not shared on \(setting.place): \(mistake). Then restart the gateway."
                logger.error("\(reason)", fields: ["problem": Problem.Kind.shareClosed.rawValue])
                state.failed.append(
                    SharedPortReport(address: setting.place, right: setting.right, problem: reason))
            }
            state.waiting = []
        }
    }

    /// Nanoseconds of CLOCK_MONOTONIC at which ``openIfDue()`` has something to do; nil: never.
    var deadline: UInt64? { state.withLock { $0.waiting.isEmpty ? nil : $0.due } }

    func openIfDue() {
        if let deadline, MonotonicClock.nanoseconds() >= deadline { open() }
    }

    /// Opens what can be opened. Called by the main thread.
    func open() {
        let before = problems
        openWaiting()
        sayIfOthers(than: before)
    }

    /// Rules and brokers tell of a port that is closed, and of one that no longer is.
    private func sayIfOthers(than before: [Problem]) {
        if problems != before { gateway.problems.changed() }
    }

    private func openWaiting() {
        var (waiting, kept) = state.withLock { ($0.waiting, $0.kept) }
        guard !waiting.isEmpty else { return }
        var opened: [ShareSetting] = []
        var (ports, descriptors): ([SharedPort], [SharedPort: Int32]) = ([], [:])
        var closed: [(setting: ShareSetting, problem: String?)] = []
        for (setting, before) in waiting {
            do throws(Reason) {
                let source = try source(setting)
                let descriptor = try socket(setting, &kept)
                let port = SharedPort(setting, source)
                ports.append(port)
                opened.append(setting)
                descriptors[port] = descriptor
            } catch {
                if error.text != before {
                    logger.error("\(error.text)", fields: ["problem": Problem.Kind.shareClosed.rawValue])
                }
                closed.append((setting, error.text))
            }
        }
        waiting = closed
        let share = ports.isEmpty ? nil : start(ports, descriptors)
        state.withLock { state in
            (state.waiting, state.kept) = (waiting, kept)
            state.due = MonotonicClock.nanoseconds() + Self.interval
            if let share { state.running.append((share, opened)) }
        }
    }

    /// The configuration was read again: what it no longer has is closed, what may do less does less, and who may no longer be
    /// there leaves. Called by the main thread.
    func narrow(to lines: [ShareSetting]) {
        let before = problems
        defer { sayIfOthers(than: before) }
        let closed = state.withLock { state in
            let all = state.waiting.map(\.setting) + state.running.flatMap { $0.settings.compactMap(\.self) }
            state.waiting = state.waiting.compactMap { setting, problem in
                setting.narrowed(to: lines).map { ($0, problem) }
            }
            for place in state.running.indices {
                let settings = state.running[place].settings.map { $0?.narrowed(to: lines) }
                state.running[place].settings = settings
                state.running[place].share.narrow(to: settings.map { $0?.right })
            }
            let closed = all.filter { $0.narrowed(to: lines) == nil }
            for setting in closed {
                if let descriptor = state.kept.removeValue(forKey: setting.socketName) { close(descriptor) }
            }
            return closed
        }
        for setting in closed {
            manager?.keepNoLonger(setting.socketName)
            logger.notice("the radio is no longer shared on \(setting.place)")
        }
    }

    /// Says good-bye to all clients.
    func stop() {
        let (running, kept) = state.withLock { state in
            state.waiting = []
            return (state.running, state.kept)
        }
        for (share, _) in running { share.stop() }
        for descriptor in kept.values { close(descriptor) }
    }

    /// What is wrong now: ports that are closed.
    var problems: [Problem] { status.compactMap(\.problem).map { Problem(.shareClosed, $0) } }

    var status: [SharedPortReport] {
        let (running, waiting, failed) = state.withLock { ($0.running, $0.waiting, $0.failed) }
        return failed + running.flatMap { $0.share.status.map { SharedPortReport($0) } }
            + waiting.map { setting, problem in
                SharedPortReport(
                    address: setting.place, right: setting.right, problem: problem ?? "It is being opened.")
            }
    }

    // MARK: one port

    private struct Reason: Error { let text: String }

    private func source(_ setting: ShareSetting) throws(Reason) -> SourceID? {
        guard let name = setting.source else { return nil }
        let sources = (try? gateway.store.read { try $0.sources() }) ?? []
        let found = sources.filter { $0.source.uuid == name || $0.source.name == name }
        guard found.count != 1 else { return found[0].id }
        throw Reason(
            text: found.isEmpty
                ? "The radio is not shared on \(setting.place), because there is no source \"\(name)\" yet; "
                    + "mesh-gateway status shows their names. It is tried again and again."
                : "The radio is not shared on \(setting.place), because several sources are called \"\(name)\"; put the "
                    + "UUID of one in its place (mesh-gateway status shows them).")
    }

    /// - Parameter kept: those that systemd had; the one that is used is taken out.
    private func socket(_ setting: ShareSetting, _ kept: inout [String: Int32]) throws(Reason) -> Int32 {
        if let descriptor = kept.removeValue(forKey: setting.socketName) { return descriptor }
        do throws(SocketFailure) {
            let descriptor = try shareSocket(setting)
            manager?.keep(descriptor, as: setting.socketName)
            return descriptor
        } catch {
            throw Reason(text: shareProblem(setting, error))
        }
    }

    private func start(_ ports: [SharedPort], _ descriptors: [SharedPort: Int32]) -> RadioShare? {
        let share = RadioShare(
            gateway: gateway, ports: ports, descriptors: descriptors, admits: { [networks] in networks.admit($0) },
            logger: logger)
        do {
            try share.start()
            for port in share.status.map({ SharedPortReport($0) }) {
                logger.notice("sharing the radio on \(port.address) (\(port.right.rawValue))")
            }
            return share
        } catch {
            let reason = "The radio cannot be shared: \(error). Restart the gateway: \(Takeover.restart.command!)"
            logger.error("\(reason)", fields: ["problem": Problem.Kind.shareClosed.rawValue])
            let failed = ports.map { SharedPortReport($0, problem: reason) }
            state.withLock { $0.failed += failed }
            return nil
        }
    }
}

/// Who may connect to shared ports: `share-networks`, which a reload changes.
final class AdmittedNetworks: Sendable {
    private let networks: Mutex<[IPNetwork]>

    init(_ settings: Configuration) { networks = Mutex(settings.shareNetworks) }

    func apply(_ settings: Configuration) { networks.withLock { $0 = settings.shareNetworks } }

    /// - Parameter address: in numbers, without a port; of IPv6 perhaps with a zone behind a "%".
    func admit(_ address: String) -> Bool {
        networks.withLock { networks in
            guard !networks.isEmpty else { return true }
            guard let address = IPAddress(String(address.prefix { $0 != "%" })) else { return false }
            return networks.contains { $0.contains(address) }
        }
    }
}

extension SharedPort {
    fileprivate init(_ setting: ShareSetting, _ source: SourceID?) {
        self.init(
            address: setting.address.isEmpty ? "::" : setting.address, port: setting.port,
            right: setting.right, closes: setting.closes, source: source)
    }
}

extension SharedPortReport {
    fileprivate init(_ port: SharedPort, problem: String? = nil) {
        let host = port.address == "::" ? "*" : port.address.contains(":") ? "[\(port.address)]" : port.address
        self.init(address: "\(host):\(port.port)", right: port.right, source: port.source, problem: problem)
    }

    fileprivate init(_ status: SharedPortStatus) {
        self.init(SharedPort(address: status.address, port: status.port, right: status.right, source: status.source))
        clients = status.clients.map {
            Client(address: $0.address, port: $0.port, since: $0.since, sent: $0.sent, refused: $0.refused)
        }
        (sent, refusedConnections, refusedPackets) = (status.sent, status.refusedConnections, status.refusedPackets)
    }
}
