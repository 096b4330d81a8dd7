import Foundation
import Glibc
import Testing

@testable import ServedProgram

/// What answers at the local socket may be a program of the service's account. So root's `rule` and `target` commands write and
/// delete in the folder of root's own configuration alone, and only where nobody else could put something in between.
@Suite(.enabled(if: geteuid() == 0)) struct RootWritesWhereItsOwnConfigurationSays {
    private static let commands = [
        "rule add silent", "rule remove silent", "target add phone ntfy --url-file -", "target remove phone",
        "mqtt add house mqtt://127.0.0.1:9",
    ]

    private struct Place {
        let folders: Folders
        let environment: [String: String]

        /// With a configuration file of its own, and files of rules and targets beside it.
        init(in folders: Folders, _ name: String) throws {
            let folder = "\(folders.root)/\(name)"
            for inner in ["rules.d", "targets.d", "brokers.d"] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(inner)", withIntermediateDirectories: true)
            }
            try "".write(toFile: "\(folder)/mesh-gateway.conf", atomically: true, encoding: .utf8)
            (self.folders, environment) = (folders, ["MESH_GATEWAY_CONFIG": "\(folder)/mesh-gateway.conf"])
        }

        func type(_ line: String) throws -> (code: Int32, errors: String) {
            let result = try Program(
                line.split(separator: " ").map(String.init), in: folders,
                input: "https://ntfy.example/topic-long-enough\n",
                environment: environment)
            return (try result.exitCode(), result.errors.text)
        }

        func files() -> [String] {
            let names = FileManager.default.enumerator(atPath: folders.root)?.allObjects as? [String] ?? []
            return names.filter { $0.hasSuffix(".conf") || $0.hasSuffix(".secret") }.sorted()
        }
    }

    @Test func notWhereTheDaemonSays() throws {
        let folders = try Folders()
        let (daemons, own) = (try Place(in: folders, "daemons"), try Place(in: folders, "own"))
        let gateway = try ServedGateway(device: "simulated", in: folders, environment: daemons.environment)
        #expect(try daemons.type("rule add silent").code == 0)
        #expect(try daemons.type("target add phone ntfy --url-file -").code == 0)
        let before = own.files()
        for command in Self.commands {
            let (code, errors) = try own.type(command)
            #expect(code == 78 && errors.split(separator: "\n").count == 1, "\(command): \(errors)")
            #expect(
                errors.contains("/daemons/") && errors.contains("/own/") && errors.contains("--config"), "\(errors)")
        }
        #expect(own.files() == before)
        // With the daemon's own file it is done.
        #expect(try daemons.type("rule remove silent").code == 0)
        #expect(try daemons.type("target remove phone").code == 0)
        try gateway.program.stop()
    }

    /// Its group and everybody; the folder, and the one in which it is.
    @Test(arguments: [
        ("own/rules.d", 0o775), ("own/targets.d", 0o757), ("own/brokers.d", 0o777), ("own", 0o777), ("own", 0o1777),
    ])
    func notWhereOthersMayWrite(_ open: String, _ mode: Int) throws {
        let folders = try Folders()
        let own = try Place(in: folders, "own")
        let path = "\(folders.root)/\(open)"
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        // Nobody renames what is root's in a folder like /tmp.
        let isRefused = { (command: String) in
            let folders = ["own/rules.d": "rule", "own/targets.d": "target", "own/brokers.d": "mqtt"]
            return folders[open].map { command.hasPrefix($0) } ?? (mode == 0o777)
        }
        for command in Self.commands.filter({ $0.contains(" add ") }) {
            let before = own.files()
            let (code, errors) = try own.type(command)
            guard isRefused(command) else {
                #expect(code == 0, "\(command): \(errors)")
                continue
            }
            #expect(code == 77 && errors.contains(path) && errors.contains("chmod go-w"), "\(command): \(errors)")
            #expect(own.files() == before)
        }
    }

    /// Root's own, with the service's group, as a package makes them.
    @Test func theServicesGroupMayReadThere() throws {
        let folders = try Folders()
        let own = try Place(in: folders, "own")
        let path = "\(folders.root)/own/targets.d"
        #expect(chown(path, 0, 1) == 0 && chmod(path, 0o750) == 0)
        #expect(try own.type("target add phone ntfy --url-file -").code == 0)
        #expect(try own.type("target remove phone").code == 0)
    }
}
