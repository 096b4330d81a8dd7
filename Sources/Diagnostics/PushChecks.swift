import MeshModel

// Who is told by a push service.

let pushChecks = [Check("pushes", pushes)]

/// What is known of the phones and browsers that have registered.
public struct PushFacts: Hashable, Sendable {
    /// nil: no daemon could be asked.
    public var count: Int?
    /// What the daemon says is wrong with them.
    public var failing: Problem?

    public init() {}
}

private func pushes(_ facts: Facts) -> Check.Finding {
    guard let count = facts.pushes.count else { return .skipped("No daemon to ask who has registered to be told.") }
    guard count > 0 else { return .skipped("No phone and no browser has registered.") }
    guard facts.host.exists("/usr/bin/curl") else {
        return .warning(
            "\(Problem.Kind.pushFailing): curl is not installed, and nothing can be sent without it.",
            fix: "sudo apt install curl")
    }
    if let problem = facts.pushes.failing {
        return .warning("\(problem.name): \(problem.advice)", fix: problem.command ?? "mesh-gateway push list")
    }
    return .ok(
        count == 1
            ? "The registered phone or browser is told." : "All \(count) registered phones and browsers are told.")
}
