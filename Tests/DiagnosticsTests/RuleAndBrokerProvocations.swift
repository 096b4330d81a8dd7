import Testing

@testable import Diagnostics

/// Each broker has a line of its own, and where there is none that is said.
@Test func eachBrokerHasALineOfItsOwn() throws {
    let box = try HealthyBox()
    box.facts.brokers = [BrokerFacts(name: "house", state: "live"), BrokerFacts(name: "attic-2", state: "waiting")]
    let names = Check.all(on: box.facts).map(\.name)
    #expect(names.contains("broker-house") && names.contains("broker-attic-2") && !names.contains("brokers"))
    #expect(names.contains("rules") && names.contains("targets"))
    box.facts.brokers = []
    #expect(try box.finding("brokers") == .skipped("There are no brokers."))
}

let ruleAndBrokerProvocations = [
    Provocation(
        "rules", .warning, "rule-broken: silent.conf:1: no such key.", "mesh-gateway rule list",
        { $0.facts.settings.ruleMistakes = ["silent.conf:1: no such key"] }),
    Provocation(
        "rules", .warning, "The rule silent is not in force", "sudo systemctl reload mesh-gateway",
        { $0.facts.rules.standings = [] }),
    Provocation(
        "rules", .ok, "1 rule is in force, 1 switched off.", nil,
        {
            $0.facts.rules.names = ["off", "silent"]
            $0.facts.rules.standings?.append(.init(name: "off", isEnabled: false, isInForce: false))
        }),
    Provocation(
        "rules", .warning, "The rule silent has acted 3 times in the last day, and was skipped 4 times.",
        "mesh-gateway rule log silent",
        { $0.facts.rules.standings = [.init(name: "silent", sent: 3, skipped: 4)] }),
    Provocation(
        "rules", .warning, "The rule silent has not acted in the last day, and was skipped once.",
        "mesh-gateway rule log silent",
        { $0.facts.rules.standings = [.init(name: "silent", sent: 0, skipped: 1)] }),
    Provocation("rules", .skipped, "No daemon", nil, { $0.facts.rules.standings = nil }),
    Provocation("rules", .skipped, "There are no rules.", nil, { $0.facts.rules.names = [] }),
    Provocation(
        "broker-house", .warning, "broker-away: it has been away for ten minutes or more: connection refused.",
        "mesh-gateway mqtt test house",
        {
            $0.facts.brokers = [BrokerFacts(name: "house", state: "waiting")]
            ($0.facts.brokers[0].isAway, $0.facts.brokers[0].reason) = (true, "connection refused")
        }),
    Provocation(
        "broker-house", .ok, "It is not connected at the moment", nil,
        { $0.facts.brokers = [BrokerFacts(name: "house", state: "connecting")] }),
    Provocation(
        "broker-house", .warning, "broker-broken: it refuses us", "mesh-gateway mqtt test house",
        { $0.facts.brokers = [BrokerFacts(name: "house", state: "refused")] }),
    Provocation(
        "broker-house", .warning, "broker-broken: house.conf:2: no user.", "mesh-gateway mqtt status",
        { $0.facts.brokers = [BrokerFacts(name: "house", mistake: "house.conf:2: no user", state: "broken")] }),
    Provocation(
        "broker-house", .warning, "has not read the file", "sudo systemctl reload mesh-gateway",
        { $0.facts.brokers = [BrokerFacts(name: "house")] }),
    Provocation(
        "broker-house", .warning, "not connected to: libmosquitto is missing", "mesh-gateway mqtt status",
        {
            $0.facts.brokers = [BrokerFacts(name: "house", state: "stopped")]
            $0.facts.brokers[0].reason = "libmosquitto is missing"
        }),
    Provocation(
        "broker-house", .warning,
        "conversation-refused: the conversation club is refused: the broker does not let us read club/#.",
        "mesh-gateway conversation show club",
        {
            $0.facts.brokers[0].conversations = [
                .init(name: "club", state: .refused, reason: "the broker does not let us read club/#")
            ]
        }),
    Provocation(
        "broker-house", .warning,
        "conversation-flooded: the conversation club is flooded. 1 more of its conversations have a problem.",
        "mesh-gateway conversation list",
        {
            $0.facts.brokers[0].conversations = [
                .init(name: "club", state: .flooded), .init(name: "valley", state: .refused),
            ]
        }),
    Provocation(
        "broker-house", .warning,
        "bridge-stopped: the bridge of the conversation club is stopped: channel 1 has another name or another key.",
        "mesh-gateway conversation show club",
        {
            $0.facts.brokers[0].bridge = .init(
                name: "club", text: "channel 1 has another name or another key", isStopped: true)
        }),
    Provocation(
        "broker-house", .warning, "The bridge of the conversation club: channel 1 has uplinkEnabled.",
        "mesh-gateway conversation show club",
        { $0.facts.brokers[0].bridge = .init(name: "club", text: "channel 1 has uplinkEnabled", isStopped: false) }),
    Provocation(
        "broker-house", .warning, "does not let us read", "mesh-gateway mqtt test house",
        { $0.facts.brokers[0].maySubscribe = false }),
    Provocation(
        "broker-house", .warning, "/p holds a secret, and every user of this computer can read it.",
        "sudo chmod o-r /p",
        { $0.facts.brokers[0].openSecret = "/p" }),
    Provocation("broker-house", .skipped, "No daemon", nil, { $0.stopDaemon() }),
]
