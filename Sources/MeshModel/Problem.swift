/// What is wrong: a name for programs and rules, a sentence for people, and where that helps, what to type.
///
/// The sentence is written where the fault is noticed, because it has numbers and names in it. What is the same wherever a problem
/// comes up is declared below, once.
public struct Problem: Hashable, Sendable {
    public enum Severity: String, CaseIterable, Sendable { case fault, warning }

    /// Kebab-case and stable.
    public let name: String
    public let severity: Severity
    /// What happened and what to do.
    public let advice: String
    /// What to type, as it stands in ``advice``; nil where typing does not help.
    public let command: String?
    /// UUID of the radio's source; nil if it is about the gateway, or if it is clear whose it is.
    public let source: String?

    public init(_ kind: Kind, _ advice: String, command: String? = nil, source: String? = nil) {
        (name, severity) = (kind.rawValue, kind.severity)
        (self.advice, self.command, self.source) = (advice, command, source)
    }

    /// A problem that was stored or sent earlier, perhaps by another version of this program: its name may not be declared here.
    public init(told name: String, _ advice: String, command: String? = nil, source: String? = nil) {
        (self.name, severity) = (name, Kind(rawValue: name)?.severity ?? .fault)
        (self.advice, self.command, self.source) = (advice, command, source)
    }

    /// nil if this version does not know the name.
    public var kind: Kind? { Kind(rawValue: name) }

    /// The same, of a radio's source.
    public func of(source: String) -> Problem { Problem(told: name, advice, command: command, source: source) }

    public static func worstFirst(_ problems: [Problem]) -> [Problem] {
        problems.filter { $0.severity == .fault } + problems.filter { $0.severity == .warning }
    }
}

extension Problem {
    /// Every problem that there is. A name that is not in this list does not compile.
    public enum Kind: String, CaseIterable, CustomStringConvertible, Sendable {
        // The link to a radio, and the port.
        case cannotOpen = "cannot-open"
        case connectionClosed = "connection-closed"
        case connectionFailed = "connection-failed"
        case deviceAbsent = "device-absent"
        case noRadio = "no-radio"
        case notASerialPort = "not-a-serial-port"
        case permissionDenied = "permission-denied"
        case portBusy = "port-busy"
        case restartOrdered = "restart-ordered"
        case sameRadio = "same-radio"
        case severalRadios = "several-radios"
        case unplugged = "unplugged"
        case wrongDevice = "wrong-device"
        // A radio.
        case factoryReset = "factory-reset"
        case handshakeIncomplete = "handshake-incomplete"
        case hostClockUnset = "host-clock-unset"
        case keepsRestarting = "keeps-restarting"
        case keysInDoubt = "keys-in-doubt"
        case nodeNumberChanged = "node-number-changed"
        case notResponding = "not-responding"
        case packetsWithheld = "packets-withheld"
        case radioLocked = "radio-locked"
        case regionUnset = "region-unset"
        case serialAPIDisabled = "serial-api-disabled"
        case transmitterOff = "transmitter-off"
        // The gateway.
        case bridgeStopped = "bridge-stopped"
        case brokerAway = "broker-away"
        case brokerBroken = "broker-broken"
        case changesDropped = "changes-dropped"
        case conversationFlooded = "conversation-flooded"
        case conversationRefused = "conversation-refused"
        case diskFailing = "disk-failing"
        case notRunning = "not-running"
        case pushFailing = "push-failing"
        case ruleBroken = "rule-broken"
        case shareClosed = "share-closed"
        case targetBroken = "target-broken"
        case targetFailing = "target-failing"

        public var description: String { rawValue }

        public var severity: Severity {
            switch self {
            case .cannotOpen, .connectionClosed, .connectionFailed, .deviceAbsent, .noRadio, .notASerialPort,
                .permissionDenied, .portBusy, .restartOrdered, .sameRadio, .severalRadios, .unplugged, .wrongDevice:
                .fault
            case .factoryReset, .handshakeIncomplete, .hostClockUnset, .keepsRestarting, .nodeNumberChanged,
                .notResponding, .packetsWithheld, .radioLocked, .regionUnset, .serialAPIDisabled, .transmitterOff:
                .fault
            case .diskFailing, .notRunning, .shareClosed: .fault
            case .keysInDoubt: .warning
            case .bridgeStopped, .brokerAway, .brokerBroken, .changesDropped, .conversationFlooded,
                .conversationRefused, .pushFailing, .ruleBroken, .targetBroken, .targetFailing:
                .warning
            }
        }

        /// What a rule waits for in place of `problem NAME`; nil if it has no trigger of its own.
        public var ownTrigger: String? {
            switch self {
            case .diskFailing: "storage failing"
            case .keysInDoubt: "key changed"
            default: nil
            }
        }

        /// Whether a rule can wait for it with `problem NAME`. Without a daemon no rule runs.
        public var isForRules: Bool { ownTrigger == nil && self != .notRunning }
    }
}
