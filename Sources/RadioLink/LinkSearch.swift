import Glibc
import MeshModel
import Platform

/// Finding and opening the radio, by whatever address.
extension LinkLoop {
    private static let connectPatience = 10 * RadioSession.second
    private static let lookupPatience = 20 * RadioSession.second
    /// udev gives a new node its group and mode after the kernel has made it, mostly within a tenth of this.
    private static let permissionPatience = 2 * RadioSession.second

    func search(at now: MonotonicTime) {
        switch link.address {
        case .auto:
            watch(nil)
            switch PortScan.pick(link.searchedPorts, known: known) {
            case .success(let port): open(path: port.path, usb: port.usb, at: now)
            case .failure(let failure): stayWithout(failure.problem)
            }
        case .path(let path):
            watch(path)
            if access(path, F_OK) == 0 {
                open(path: path, at: now)
            } else if let path = pathOfKnownDevice() {
                open(path: path, at: now)
            } else {
                stayWithout(OpenFailure.absent.problem(opening: path))
            }
        case .tcp(let host, let port):
            if !isRetrying { link.transition(to: .opening) }
            let lookup = HostLookup(host: host, port: port) { [wakeEvent = link.wakeEvent] in wakeEvent.signal() }
            stage = .lookingUp(lookup, until: now + Self.lookupPatience)
        case .connection(let name): openConnection(named: name, at: now)
        }
    }

    /// Watches before looking, so that nothing appears in between unseen.
    private func watch(_ path: String?) {
        if hotPlug == nil { hotPlug = HotPlug() }
        hotPlug?.watch(awaiting: path)
    }

    private func stayWithout(_ problem: Problem) {
        wasAbsent = true
        link.transition(to: .searching(problem))
        stage = .waiting(until: hotPlug?.isWatching == true ? nil : MonotonicClock.nanoseconds() + Self.longestBackOff)
    }

    /// A device that was at the given path and has come back under another name.
    private func pathOfKnownDevice() -> String? {
        guard let known, known.ownSerialNumber != nil else { return nil }
        let same = link.searchedPorts.filter { $0.usb?.isSameDevice(as: known) ?? false }
        return same.count == 1 ? same[0].path : nil
    }

    /// While a problem lasts, attempts to get over it are no transitions.
    private var isRetrying: Bool { hasProblem(of: Self.openingProblems) || hasFailed }

    /// The last handshake came to nothing; until one succeeds, nothing has changed.
    var hasFailed: Bool { hasProblem(of: RadioSession.ofAttempts) }

    private func hasProblem(of kinds: Set<Problem.Kind?>) -> Bool {
        switch link.state {
        case .lost(let problem), .searching(.some(let problem)): kinds.contains(problem.kind)
        default: false
        }
    }

    private static let openingProblems: Set<Problem.Kind?> = [
        .permissionDenied, .portBusy, .cannotOpen, .notASerialPort, .connectionFailed,
    ]

    /// - Parameter usb: what is at the path, when that is known already.
    private func open(path: String, usb: USBIdentity? = nil, at now: MonotonicTime) {
        if !isRetrying { link.transition(to: .opening) }
        do {
            let port = try openSerialPort(path)
            let node = realPath(path)
            known = usb ?? PortScan.ports().first { $0.path == node }?.usb
            link.claims.note(known, by: link.number)
            (wasAbsent, permissionDue) = (false, nil)
            open(port, named: path, at: now)
        } catch {
            if error == .permissionDenied, mayBePermittedSoon(at: now) { return }
            let problem = error.problem(opening: path)
            if error == .absent { return stayWithout(problem) }
            link.transition(to: .lost(problem))
            wait(after: problem, at: now)
        }
    }

    /// Waits without a word for the permission of a node that was not there the last time we looked.
    private func mayBePermittedSoon(at now: MonotonicTime) -> Bool {
        if wasAbsent { permissionDue = now + Self.permissionPatience }
        wasAbsent = false
        guard let due = permissionDue, now < due else { return false }
        stage = .waiting(until: due)
        return true
    }

    // MARK: Sockets

    private func openConnection(named name: String, at now: MonotonicTime) {
        guard let connect = link.connect else { preconditionFailure("checked when the link was made") }
        do {
            let descriptor = try connect()
            setCloseOnExec(descriptor)
            setNonBlocking(descriptor)
            open(Port(descriptor: descriptor, kind: .socket), named: name, at: now)
        } catch {
            link.transition(to: .searching(.connectionFailed(name, "it is not there")))
            stage = .waiting(until: now + nextBackOff())
        }
    }

    /// The lookup goes on: however late, its result counts.
    func tellOfSlowLookup(_ lookup: HostLookup) {
        let problem = Problem.connectionFailed(link.address.name, "the name service does not answer")
        link.transition(to: .lost(problem))
        stage = .lookingUp(lookup, until: nil)
    }

    func connect(after result: Result<[HostLookup.Address], HostLookup.LookupFailure>, at now: MonotonicTime) {
        switch result {
        case .success(let addresses): connect(to: addresses[...], otherwise: "no address", at: now)
        case .failure(let failure): fail(failure.reason, at: now)
        }
    }

    private func connect(to addresses: ArraySlice<HostLookup.Address>, otherwise reason: String, at now: MonotonicTime)
    {
        guard let first = addresses.first else { return fail(reason, at: now) }
        switch beginConnecting(to: first) {
        case .success(let descriptor):
            stage = .connecting(descriptor, rest: addresses.dropFirst(), until: now + Self.connectPatience)
        case .failure(let error): connect(to: addresses.dropFirst(), otherwise: errorText(error.number), at: now)
        }
    }

    func connectionDecided(_ descriptor: Int32, at now: MonotonicTime) {
        let error = connectionError(descriptor)
        if error == 0 {
            open(Port(descriptor: descriptor, kind: .socket), named: link.address.name, at: now)
        } else {
            connectionFailed(errorText(error), at: now)
        }
    }

    /// This address did not work; there may be others.
    func connectionFailed(_ reason: String, at now: MonotonicTime) {
        guard case .connecting(let descriptor, let rest, _) = stage else { return }
        close(descriptor)
        connect(to: rest, otherwise: reason, at: now)
    }

    private func fail(_ reason: String, at now: MonotonicTime) {
        let problem = Problem.connectionFailed(link.address.name, reason)
        link.transition(to: .lost(problem))
        wait(after: problem, at: now)
    }

    // MARK: Again

    var goneProblem: Problem {
        link.address.isSerial ? .unplugged(name) : .connectionClosed(name)
    }

    /// A device that cannot be used is tried again later and later; one that was unplugged at once, to see it gone.
    func wait(after problem: Problem, at now: MonotonicTime) {
        if link.address.isSerial { watch(link.address.devicePath) }
        stage = .waiting(until: now + (problem.kind == .unplugged ? pauseAfterUnplug(at: now) : nextBackOff()))
    }

    /// The kernel hangs up first and removes the node then. A port that hangs up as soon as it is opened, and whose node
    /// stays, is no unplugged one.
    private func pauseAfterUnplug(at now: MonotonicTime) -> MonotonicTime {
        if access(name, F_OK) != 0 { return 0 }
        return now - openedAt > RadioSession.second ? RadioSession.second / 10 : nextBackOff()
    }

    /// 0.5 s, then twice as long each time, up to 10 s.
    private func nextBackOff() -> MonotonicTime {
        if case .connection = link.address { return Self.shortestBackOff }
        defer { backOff = min(2 * backOff, Self.longestBackOff) }
        return backOff
    }

    func wentLive() {
        // Two programs that take a radio's one network connection from each other shall at least do it slowly.
        if link.address.isSerial || MonotonicClock.nanoseconds() - openedAt > 60 * RadioSession.second {
            backOff = Self.shortestBackOff
        }
    }
}

extension RadioAddress {
    var isSerial: Bool {
        switch self {
        case .auto, .path: true
        case .tcp, .connection: false
        }
    }

    var devicePath: String? {
        if case .path(let path) = self { path } else { nil }
    }

    /// For people.
    public var name: String {
        switch self {
        case .auto: "auto"
        case .path(let path): path
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .connection(let name): name
        }
    }
}
