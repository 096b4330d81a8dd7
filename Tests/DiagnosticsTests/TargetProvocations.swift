@testable import Diagnostics

let targetProvocations = [
    Provocation(
        "targets", .warning, "target-failing: curl is not installed", "sudo apt install curl",
        { try $0.remove("/usr/bin/curl") }),
    Provocation(
        "targets", .warning, "target-failing: phone fails: ntfy.sh answered 403 (not allowed).",
        "mesh-gateway target test phone",
        { $0.facts.targets.failures = [.init(name: "phone", error: "ntfy.sh answered 403 (not allowed)")] }),
    Provocation(
        "targets", .warning, "So do 1 more.", "mesh-gateway target test mail",
        { $0.facts.targets.failures = [.init(name: "mail", error: "x"), .init(name: "phone", error: "x")] }),
    Provocation("targets", .skipped, "No daemon", nil, { $0.facts.targets.failures = nil }),
    // Nobody needs curl then.
    Provocation(
        "targets", .skipped, "There are no targets", nil,
        {
            try $0.remove("/usr/bin/curl")
            $0.facts.targets.names = []
        }),
]
