@testable import Diagnostics

let shareProvocations = [
    Provocation(
        "shared-ports", .fault, "another program has the port", "mesh-gateway status",
        {
            $0.facts.share.standings = [
                .init(place: "*:4403", problem: "Not shared on *:4403, because another program has the port.")
            ]
        }),
    Provocation(
        "shared-ports", .warning, "shares the radio on [::1]:4404, but the daemon was started before",
        "sudo systemctl restart mesh-gateway",
        { $0.facts.share.ports.append(.init(place: "[::1]:4404", port: 4404, isLoopback: true)) }),
    // The kernel has chosen the number.
    Provocation(
        "shared-ports", .ok, "shared on 127.0.0.1:40123", nil,
        {
            $0.facts.share.ports = [.init(place: "127.0.0.1:0", port: 0, isLoopback: true)]
            $0.facts.share.standings = [.init(place: "127.0.0.1:40123")]
        }),
    Provocation(
        "shared-ports", .fault, "Port 4403, where the radio is to be shared, is taken by meshtasticd (process 812)",
        "sudo kill 812",
        {
            $0.stopDaemon()
            $0.facts.share.standings = nil
            try $0.listen(4403, inode: 4711, process: 812, name: "meshtasticd")
        }),
    Provocation(
        "shared-ports", .skipped, "No daemon", nil,
        {
            $0.stopDaemon()
            $0.facts.share.standings = nil
        }),
    Provocation("shared-ports", .ok, "with no other program", nil, { $0.facts.share = ShareFacts() }),
    // `serve --share`: the command that asks does not know of it otherwise.
    Provocation(
        "shared-ports", .ok, "shared on *:4410", nil,
        {
            $0.facts.share = ShareFacts()
            $0.facts.share.standings = [.init(place: "*:4410")]
        }),
    Provocation(
        "share-access", .skipped, "said when the daemon was started", nil,
        {
            $0.facts.share = ShareFacts()
            $0.facts.share.standings = [.init(place: "*:4410")]
        }),
    Provocation(
        "share-access", .warning, "everybody who can reach this computer: they read the keys of the channels. Name",
        "echo 'share-networks = 192.168.1.0/24' | sudo tee /etc/mesh-gateway/mesh-gateway.conf.d/share-networks.conf "
            + "&& sudo systemctl reload mesh-gateway",
        { $0.facts.share.isLimited = false }),
    Provocation(
        "share-access", .warning, "keys of the channels and change the radio's settings",
        "echo 'share-networks = 192.168.1.0/24' | sudo tee /etc/mesh-gateway/mesh-gateway.conf.d/share-networks.conf "
            + "&& sudo systemctl reload mesh-gateway",
        {
            $0.facts.share.isLimited = false
            $0.facts.share.ports[0].isAdmin = true
        }),
    Provocation(
        "share-access", .warning, "On *:4403 everybody in share-networks may change the radio's settings",
        "sudoedit /etc/mesh-gateway/mesh-gateway.conf", { $0.facts.share.ports[0].isAdmin = true }),
    Provocation(
        "share-access", .ok, "programs on this computer alone", nil,
        {
            $0.facts.share.isLimited = false
            $0.facts.share.ports = [.init(place: "127.0.0.1:4403", port: 4403, isAdmin: true, isLoopback: true)]
        }),
    Provocation(
        "share-announcement", .warning, "nobody announces it", "sudo mesh-gateway share avahi --install",
        { $0.facts.share.announcement = .missing }),
    Provocation(
        "share-announcement", .warning, "under an old name", "sudo mesh-gateway share avahi --install",
        { $0.facts.share.announcement = .stale }),
    Provocation("share-announcement", .skipped, "not known now", nil, { $0.facts.share.announcement = nil }),
    Provocation(
        "share-announcement", .ok, "no avahi-daemon", nil,
        {
            $0.facts.share.announcement = .missing
            try $0.remove("/usr/sbin/avahi-daemon")
        }),
    Provocation(
        "share-announcement", .ok, "nothing to announce", nil,
        {
            $0.facts.share.announcement = .missing
            $0.facts.share.ports[0].isLoopback = true
        }),
]
