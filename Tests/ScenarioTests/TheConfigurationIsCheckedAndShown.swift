import Foundation
import Testing

@testable import ServedProgram

@Suite struct TheConfigurationIsCheckedAndShown {
    private let folders: Folders

    init() throws { folders = try Folders() }

    private func dropIn(_ name: String, _ text: String) throws -> String {
        let folder = "\(folders.root)/mesh.conf.d"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        return "\(folder)/\(name)"
    }

    @Test func everyMistakeIsALine() throws {
        let file = try folders.file("mesh.conf", "devcie = auto\n\nlisten = here\n")
        let extra = try dropIn("1.conf", "name =\n")
        let check = try Program.run(
            "config", "check", "--config", file, in: folders, environment: ["MESH_GATEWAY_LOG_LEVLE": "info"])
        #expect(check.code == 78 && check.output.isEmpty)
        let lines = check.errors.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first == "\(file):1: unknown key \"devcie\"; did you mean \"device\"?")
        #expect(lines.dropFirst().first?.hasPrefix("\(file):3: listen cannot be \"here\"") == true)
        #expect(lines.dropFirst(2).first?.hasPrefix("\(extra):1: name cannot be \"\"") == true)
        #expect(lines.last?.contains("did you mean MESH_GATEWAY_LOG_LEVEL?") == true)
        let start = try Program.run("serve", "--config", file, in: folders)
        #expect(start.code == 78)
        #expect(start.errors.contains("and 2 more: mesh-gateway config check --config \(file)"))
    }

    @Test func twoNamesOfOnePortAreAMistake() throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folders.root)/radio", withDestinationPath: "/dev/null")
        let file = try folders.file("mesh.conf", "device = /dev/null\ndevice = \(folders.root)/radio\n")
        let check = try Program.run("config", "check", "--config", file, in: folders)
        #expect(check.code == 78)
        #expect(
            check.errors
                == "\(file):2: device /dev/null and \(folders.root)/radio are the same port; a port is named once\n")
    }

    @Test func whatIsPerhapsNotMeantIsAWarning() throws {
        let file = try folders.file(
            "mesh.conf",
            """
            device = auto
            device = /dev/ttyNONE
            listen = 127.0.0.1:8080
            listen = 192.0.2.1:8080
            trusted-proxies = 0.0.0.0/0
            database = \(folders.root)/none/mesh.db
            """)
        let ignored = try dropIn("1.conf.bak", "nonsense")
        _ = try dropIn("1.conf", "log-level = debug")
        let check = try Program.run("config", "check", "--config", file, in: folders)
        #expect(check.code == 0 && check.errors.isEmpty, "\(check.errors)")
        let lines = check.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "no mistakes: read \(file), 1 drop-in")
        let expected = [
            "warning: \(ignored) does not count",
            "\(file):6: warning: database: its folder \(folders.root)/none is not there",
            "\(file):2: warning: device /dev/ttyNONE is not there", "\(file):4: warning: listen 192.0.2.1:8080",
            "\(file):5: warning: trusted-proxies 0.0.0.0/0",
        ]
        #expect(lines.count == expected.count + 1, "\(lines)")
        for (line, beginning) in zip(lines.dropFirst(), expected) { #expect(line.hasPrefix(beginning), "\(line)") }
    }

    /// What `config show` prints, written as a file, is the same configuration; and it says where each value is from.
    @Test func whatIsShownCanBeReadAgain() throws {
        let file = try folders.file(
            "mesh.conf", "name = \"Hut # 2\"\nlisten = 1\nlisten = [::1]:2\nkeep-packets = 36h\n")
        let extra = try dropIn("1.conf", "\nlog-level = debug\n")
        let environment = ["MESH_GATEWAY_RATE_LIMIT_REQUESTS": "7"]
        let options = ["--config", file, "--device", "simulated:seed=3"]
        func rows(_ words: [String]) throws -> [[String]] {
            let show = try Program(["config", "show"] + words, in: folders, environment: environment)
            #expect(try show.exitCode() == 0 && show.errors.text.isEmpty)
            return show.output.text.split(separator: "\n").dropFirst().map { line in
                line.replacing(/\s{2,}/, with: "\t").split(separator: "\t").map(String.init)
            }
        }
        let first = try rows(options)
        for (key, value, origin) in [
            ("name", "\"Hut # 2\"", "\(file):1"), ("listen", "*:1", "\(file):2"), ("listen", "[::1]:2", "\(file):3"),
            ("keep-packets", "36h", "\(file):4"), ("log-level", "debug", "\(extra):2"),
            ("rate-limit-requests", "7", "environment variable MESH_GATEWAY_RATE_LIMIT_REQUESTS"),
            ("device", "simulated:seed=3,nodes=24", "option --device"), ("keep-messages", "forever", "built in"),
        ] {
            #expect(first.contains([key, value, origin]), "\(key): \(first)")
        }
        let written = first.filter { $0[1] != "-" }.map { "\($0[0]) = \($0[1])" }
        let again = try folders.file("again.conf", written.joined(separator: "\n"))
        let second = try rows(["--config", again])
        #expect(second.map { $0.prefix(2) } == first.map { $0.prefix(2) })
        let bare = try Program.run("config", "show", "listen", "--config", file, in: folders)
        #expect(bare.output == "*:1\n[::1]:2\n")
    }
}
