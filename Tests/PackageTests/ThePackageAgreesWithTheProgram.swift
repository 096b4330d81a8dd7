import Configuration
import Foundation
import Testing

/// Names, places and numbers that stand in the package's files and in the program.
@Suite struct ThePackageAgreesWithTheProgram {
    let unit: Unit

    init() throws { unit = Unit(try Repository.text("deploy/mesh-gateway.service")) }

    @Test func theNewestChangeIsThisVersions() throws {
        let program = try Repository.text("Sources/mesh-gateway/MeshGateway.swift")
        let version = try #require(program.firstMatch(of: /static let version = "([^"]+)"/)?.1)
        let log = try Repository.text("deploy/CHANGELOG.md")
        let newest = try #require(log.firstMatch(of: #/\n## (\S+) \(\d{4}-\d{2}-\d{2}\)\n\n- /#)?.1)
        #expect(newest == version)
    }

    /// The service's directories are those where the program looks.
    @Test func theServiceLivesWhereTheProgramLooks() throws {
        let state = try #require(unit["StateDirectory"]), runtime = try #require(unit["RuntimeDirectory"])
        #expect(Paths.databaseCandidates([:]).first == "/var/lib/\(state)/mesh.db")
        // As systemd hands it to the service, and as a command finds it without.
        #expect(Paths.socket(["RUNTIME_DIRECTORY": "/run/\(runtime)"]) == "/run/\(runtime)/mesh-gateway.sock")
        #expect(Paths.socket([:]) == "/run/\(runtime)/mesh-gateway.sock")
        let folder = try "/etc/\(#require(unit["ConfigurationDirectory"]))"
        #expect(Configuration.defaultFile == "\(folder)/mesh-gateway.conf")
        let installed = try Repository.text("deploy/debian/mesh-gateway.install")
        #expect(installed.contains("mesh-gateway.conf \(folder.dropFirst())\n"))
        let made = try Repository.text("deploy/debian/mesh-gateway.dirs").split(separator: "\n")
        let folders = ["mesh-gateway.conf.d", "rules.d", "brokers.d", "targets.d"]
        #expect(made == folders.map { "\(folder.dropFirst())/\($0)" })
    }

    @Test func theServicesUserIsMade() throws {
        let user = try #require(unit["User"])
        #expect(unit["Group"] == user)
        let made = try Repository.text("deploy/mesh-gateway.sysusers")
        #expect(made.contains("\nu \(user) - \"Meshtastic gateway\" /var/lib/mesh-gateway\n"))
    }

    /// udev wakes the service, and nothing lets an unplugged device, or too many starts, end it for good.
    @Test func nothingEndsTheServiceButAPerson() throws {
        let rules = try Repository.text("udev/70-mesh-gateway.rules")
        #expect(rules.contains(#"ENV{SYSTEMD_WANTS}+="mesh-gateway.service""#))
        for key in ["BindsTo", "Requires", "Requisite", "PartOf", "StopPropagatedFrom"] { #expect(unit[key] == nil) }
        #expect(unit["Restart"] == "always")
        #expect(unit["StartLimitIntervalSec"] == "0")
        // EX_CONFIG: starting again would read the same mistake.
        #expect(unit["RestartPreventExitStatus"] == "78")
    }

    /// Avahi tells the port that is the default.
    @Test func phonesAreSentToThePortThatIsServed() throws {
        let ports = try Repository.text("deploy/avahi.service").matches(of: /<port>(\d+)<\/port>/).map { UInt16($0.1) }
        #expect(ports == [ListenAddress.defaultPort, ListenAddress.defaultPort])
    }

    /// What the installation says is to be typed next is README's next command.
    @Test func theInstallationGoesOnAsTheReadmeDoes() throws {
        let readme = try Repository.text("README.md")
        let commands = try #require(readme.firstMatch(of: #/```sh\n(deploy\/package\nsudo apt install [^`]+)```/#)?.1)
            .split(
                separator: "\n")
        try #require(commands.count == 4)
        #expect(try Repository.text("deploy/debian/mesh-gateway.postinst").contains("'    \(commands[2])'\n"))
    }

    /// Every file that the package installs from the source is there.
    @Test(arguments: [
        "deploy/mesh-gateway.conf", "deploy/mesh-gateway.sysusers", "deploy/avahi.service", "deploy/CHANGELOG.md",
        "deploy/man", "deploy/schemas", "deploy/home-assistant", "deploy/debian/copyright", "deploy/debian/control",
    ])
    func whatIsInstalledIsThere(path: String) {
        #expect(Repository.exists(path))
    }
}

/// The settings of a systemd unit that stand in it once.
struct Unit {
    private var settings: [String: String] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix("[") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { settings[String(parts[0])] = String(parts[1]) }
        }
    }

    subscript(key: String) -> String? { settings[key] }
}
