import MeshModel

@testable import Diagnostics

let pushProvocations = [
    Provocation(
        "pushes", .warning, "push-failing: curl is not installed", "sudo apt install curl",
        {
            try $0.remove("/usr/bin/curl")
            $0.facts.targets.names = []
        }),
    Provocation(
        "pushes", .warning, "push-failing: 2 phones or browsers are not told: fcm.googleapis.com answered 403.",
        "mesh-gateway push list",
        {
            $0.facts.pushes.failing = Problem(
                .pushFailing, "2 phones or browsers are not told: fcm.googleapis.com answered 403.",
                command: "mesh-gateway push list")
        }),
    Provocation("pushes", .skipped, "No daemon to ask", nil, { $0.facts.pushes.count = nil }),
    // Nobody needs curl then.
    Provocation(
        "pushes", .skipped, "has registered", nil,
        {
            try $0.remove("/usr/bin/curl")
            $0.facts.targets.names = []
            $0.facts.pushes.count = 0
        }),
]
