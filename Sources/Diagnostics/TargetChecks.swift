import MeshModel

// Where notifications go.

let targetChecks = [Check("targets", targets)]

/// What is known of the targets.
public struct TargetFacts: Hashable, Sendable {
    /// One that does not take what it is sent.
    public struct Failure: Hashable, Sendable {
        public var name: String
        /// A sentence without a full stop.
        public var error: String

        public init(name: String, error: String) { (self.name, self.error) = (name, error) }
    }

    /// Those whose files have no mistake.
    public var names: [String] = []
    /// Nil: no daemon could be asked.
    public var failures: [Failure]?
    /// Sentences about rules that tell targets that are not there, or that get nothing.
    public var toldInVain: [String] = []

    public init() {}
}

private func targets(_ facts: Facts) -> Check.Finding {
    let names = facts.targets.names
    if let first = facts.targets.toldInVain.first {
        let more = facts.targets.toldInVain.count - 1
        return .warning(
            "\(Problem.Kind.targetBroken): \(first)" + (more > 0 ? " So it is with \(more) more." : ""),
            fix: "mesh-gateway config check")
    }
    guard !names.isEmpty else { return .skipped("There are no targets.") }
    guard facts.host.exists("/usr/bin/curl") else {
        return .warning(
            "\(Problem.Kind.targetFailing): curl is not installed, and nothing can be sent without it.",
            fix: "sudo apt install curl")
    }
    guard let failures = facts.targets.failures else {
        return .skipped("No daemon to ask whether the targets take what they are sent.")
    }
    guard let first = failures.first else {
        return .ok(names.count == 1 ? "The target does not fail." : "None of \(names.count) targets fails.")
    }
    let more = failures.count > 1 ? " So do \(failures.count - 1) more." : ""
    return .warning(
        "\(Problem.Kind.targetFailing): \(first.name) fails: \(first.error).\(more)",
        fix: "mesh-gateway target test \(first.name)")
}
