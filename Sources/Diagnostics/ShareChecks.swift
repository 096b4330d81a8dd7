// The ports where Meshtastic's own programs find the radio: whether they are open, to whom, and whether phones find them.

let shareChecks = [
    Check("shared-ports", sharedPorts), Check("share-access", shareAccess),
    Check("share-announcement", shareAnnouncement),
]

/// How the radio is shared: what the configuration says, and what came of it.
public struct ShareFacts: Hashable, Sendable {
    public struct Port: Hashable, Sendable {
        /// "127.0.0.1:4403", "*:4403".
        public var place: String
        /// 0: the kernel chooses.
        public var port: UInt16
        public var isAdmin: Bool
        /// Only this computer can connect.
        public var isLoopback: Bool

        public init(place: String, port: UInt16, isAdmin: Bool = false, isLoopback: Bool = false) {
            (self.place, self.port, self.isAdmin, self.isLoopback) = (place, port, isAdmin, isLoopback)
        }
    }

    /// Of a port that the daemon was started with.
    public struct Standing: Described, Hashable, Sendable {
        public var place: String
        /// Why nobody can connect, in a sentence; nil: they can.
        public var problem: String?

        init() { self.init(place: "?") }
        public init(place: String, problem: String? = nil) { (self.place, self.problem) = (place, problem) }

        static var facts: [Fact<Self>] { [Fact("address", \.place), Fact("problem", \.problem)] }
    }

    /// The file that announces the radio to phones.
    public enum Announcement: Hashable, Sendable {
        case missing, stale, current
    }

    /// As configured.
    public var ports: [Port] = []
    /// `share-networks` names who may connect.
    public var isLimited = false
    /// Nil: there is no daemon to ask.
    public var standings: [Standing]?
    /// Nil: it cannot be said what should stand there.
    public var announcement: Announcement?

    public init() {}

    var open: [Port] { ports.filter { !$0.isLoopback } }
    /// Neither the configuration nor the daemon shares anything.
    var isOff: Bool { ports.isEmpty && standings?.isEmpty != false }
}

private let notShared = Check.Finding.ok("The radio is shared with no other program.")

private func sharedPorts(_ facts: Facts) -> Check.Finding {
    let share = facts.share
    if let problem = share.standings?.compactMap(\.problem).first {
        return .fault(problem, fix: "mesh-gateway status")
    }
    guard !share.isOff else { return notShared }
    if let standings = share.standings {
        let served = Set(standings.map(\.place))
        if let new = share.ports.first(where: { $0.port != 0 && !served.contains($0.place) }) {
            return .warning(
                "The configuration shares the radio on \(new.place), but the daemon was started before that was written.",
                fix: "sudo systemctl restart mesh-gateway")
        }
        return .ok("The radio is shared on \(standings.map(\.place).joined(separator: ", ")).")
    }
    for port in share.ports where port.port != 0 {
        guard case .process(let process) = facts.host.listener(onTCPPort: port.port) else { continue }
        guard process.name != "mesh-gateway" else { continue }
        return .fault(
            "Port \(port.port), where the radio is to be shared, is taken by \(process.name) (process \(process.id)).",
            fix: facts.host.commandToStop(process.id))
    }
    return .skipped("No daemon shares the radio now.")
}

/// The protocol has no password: who can connect has the keys of the channels, and may do what the port allows.
private func shareAccess(_ facts: Facts) -> Check.Finding {
    let open = facts.share.open
    guard !open.isEmpty else {
        if facts.share.ports.isEmpty, !facts.share.isOff {
            return .skipped("Where the radio is shared was said when the daemon was started, not in the configuration.")
        }
        return facts.share.ports.isEmpty ? notShared : .ok("The radio is shared with programs on this computer alone.")
    }
    let drop =
        "sudo tee /etc/mesh-gateway/mesh-gateway.conf.d/share-networks.conf && sudo systemctl reload mesh-gateway"
    if !facts.share.isLimited {
        return .warning(
            "The radio is shared on \(open[0].place) with everybody who can reach this computer: they read the keys of the "
                + "channels\(open.contains(where: \.isAdmin) ? " and change the radio's settings" : ""). Name your network.",
            fix: "echo 'share-networks = 192.168.1.0/24' | \(drop)")
    }
    if let admin = open.first(where: \.isAdmin) {
        return .warning(
            "On \(admin.place) everybody in share-networks may change the radio's settings, without a password.",
            fix: "sudoedit \(shellWord(facts.settings.file))")
    }
    return .ok("The radio is shared on \(open.map(\.place).joined(separator: ", ")) with the networks that are named.")
}

/// Avahi tells phones in the network where the radio is; the file has its name and number in it.
private func shareAnnouncement(_ facts: Facts) -> Check.Finding {
    guard !facts.share.open.isEmpty else { return .ok("There is nothing to announce to phones.") }
    guard facts.host.exists("/usr/sbin/avahi-daemon") else {
        return .ok("There is no avahi-daemon: in the apps, the radio is added by this computer's address.")
    }
    let install = "sudo mesh-gateway share avahi --install"
    switch facts.share.announcement {
    case .current: return .ok("Phones find the shared radio by its name.")
    case .missing:
        return .warning("Phones do not find the shared radio by themselves: nobody announces it.", fix: install)
    case .stale:
        return .warning("The shared radio is announced under an old name, number or port.", fix: install)
    case nil: return .skipped("The name that the shared radio should be announced by is not known now.")
    }
}
