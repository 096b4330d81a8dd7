import Gateway
import MeshModel
import Store

/// What is wrong, with what to do about it, and where that helps with what to type.
public struct Problem: Sendable {
    public enum Severity: String, CaseIterable, Sendable { case fault, warning }

    public let severity: Severity
    /// Kebab-case and stable.
    public let name: String
    public let advice: String
    /// What to type, as it is typed; nil where typing does not help.
    public let command: String?
    /// Nil when it is about the gateway.
    public let source: Source?

    public init(
        _ severity: Severity, _ name: String, _ advice: String, command: String? = nil, _ source: Source? = nil
    ) {
        self.severity = severity
        self.name = name
        self.advice = advice
        self.command = command
        self.source = source
    }

    /// - Parameter showsFiles: what the disk has said, which names files: for users of this machine.
    public static func ofGateway(_ health: Health, _ shares: [SharedPortReport], showsFiles: Bool) -> [Problem] {
        var problems: [Problem] = []
        if let fault = showsFiles ? health.fault : health.publicFault {
            problems.append(Problem(.fault, fault.name, fault.advice, command: fault.command))
        }
        if health.droppedChanges > 0 {
            problems.append(
                Problem(
                    .warning, "changes-dropped",
                    "\(health.droppedChanges) things that were heard got lost, because the disk was too slow."))
        }
        for share in shares {
            if let advice = share.problem { problems.append(Problem(.fault, "share-closed", advice)) }
        }
        return problems
    }

    /// - Parameters:
    ///   - radio: nil: no daemon runs.
    ///   - doubtedKeys: of how many nodes another key than the known one was seen.
    public static func ofSource(_ source: Source, radio: RadioStatus?, doubtedKeys: Int) -> [Problem] {
        var problems = (radio?.faults ?? []).map {
            Problem(.fault, $0.name, $0.advice, command: $0.command, source)
        }
        if doubtedKeys > 0 {
            let nodes = doubtedKeys == 1 ? "1 node's key needs" : "\(doubtedKeys) nodes' keys need"
            problems.append(
                Problem(
                    .warning, "keys-in-doubt", "\(nodes) a person's decision: mesh-gateway keys",
                    command: "mesh-gateway keys", source))
        }
        return problems
    }

    public static func worstFirst(_ problems: [Problem]) -> [Problem] {
        problems.filter { $0.severity == .fault } + problems.filter { $0.severity == .warning }
    }
}
