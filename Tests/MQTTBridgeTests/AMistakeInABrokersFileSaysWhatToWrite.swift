import Foundation
import MeshModel
import Testing

@testable import MQTTBridge

@Suite struct AMistakeInABrokersFileSaysWhatToWrite {
    private func read(_ text: String, name: String = "house") -> BrokerFile {
        BrokerFile(text, name: name, path: "/etc/mesh-gateway/brokers.d/\(name).conf")
    }

    @Test func aFileIsRead() throws {
        let file = read(
            """
            # the house's
            url = mqtts://mesh@broker.example:8884
            password-file = /etc/mesh-gateway/broker-password
            ca = /etc/ssl/own.pem
            certificate = "/etc/ssl/me.pem"   # a comment
            key = /etc/ssl/me.key
            client-id = cabin
            keep-alive = 30
            home-assistant = !a1b2c3d4 !00000099
            home-assistant-prefix = ha
            home-assistant-texts = 0, Hikers@89ABCDEF, a@b@01234567
            home-assistant-direct = yes
            home-assistant-commands = no
            """)
        #expect(file.mistakes.isEmpty)
        let broker = try #require(file.broker)
        #expect(broker.host == "broker.example" && broker.port == 8884 && broker.hasTLS && broker.user == "mesh")
        #expect(broker.passwordFile == "/etc/mesh-gateway/broker-password" && broker.authorities == "/etc/ssl/own.pem")
        #expect(broker.certificate == "/etc/ssl/me.pem" && broker.key == "/etc/ssl/me.key")
        #expect(broker.clientID == "cabin" && broker.keepAlive == 30 && broker.prefix == "ha")
        #expect(broker.homeAssistant == .listed([NodeNumber(0xA1B2_C3D4), NodeNumber(0x99)]))
        #expect(broker.address == "mqtts://broker.example:8884")
        #expect(broker.speech.channels.map(\.name) == ["0", "Hikers", "a@b"])
        #expect(broker.speech.channels.map(\.radio) == [nil, "89abcdef", "01234567"])
        #expect(broker.speech.isDirect && !broker.speech.takesCommands)
    }

    /// The API's path of the conversations is no broker's.
    @Test func aNameThatIsTakenIsNone() {
        let file = read("url = mqtt://h", name: "conversations")
        #expect(file.broker == nil && file.mistakes.count == 1)
        #expect(file.mistakes.first?.text.contains("give the file another name") == true)
    }

    @Test(arguments: [
        ("mqtt://h", "h", 1883), ("mqtts://h", "h", 8883), ("mqtt://h:7/", "h", 7), ("mqtt://[::1]", "::1", 1883),
        ("mqtt://u@[fd00::1]:9", "fd00::1", 9), ("mqtt://u@e@h:9", "h", 9),
    ])
    func anAddressIs(url: String, host: String, port: Int) throws {
        let broker = try #require(read("url = \(url)").broker, "\(read("url = \(url)").mistakes)")
        #expect(broker.host == host && broker.port == port)
        #expect(broker.homeAssistant == nil)
    }

    /// A file, the line that is wrong, and what the sentence about it has in it.
    private static let broken: [(text: String, line: Int?, advice: String)] = [
        ("", nil, "url = mqtt://"), ("url = http://h", 1, "begins with mqtt:// or mqtts://"),
        ("url = mqtt://", 1, "has no host"), ("url = mqtt://a b", 1, "has no host"),
        ("url = mqtt://@h", 1, "no user"), ("url = mqtt://h:0", 1, "port"), ("url = mqtt://h:65536", 1, "port"),
        ("url = mqtt://h:x", 1, "port"), ("url = mqtt://::1", 1, "has no host"),
        ("url = mqtt://u:secret@h", 1, "password-file = FILE"),
        ("url = mqtt://h\nurl = mqtt://i", 2, "already set in line 1"),
        ("url = mqtt://h\nurls = x", 2, "did you mean \"url\"?"), ("url = mqtt://h\nqwertz = x", 2, "the keys are url"),
        ("url = mqtt://h\nnonsense", 2, "KEY = VALUE"), ("url = mqtt://h\nca =", 2, "no value"),
        ("url = mqtt://h\npassword-file = /p", 2, "needs a user"),
        ("url = mqtts://h\ncertificate = /c", 2, "belong together"),
        ("url = mqtts://h\nkey = /c", 2, "belong together"),
        ("url = mqtt://h\nca = /c", 2, "mqtts://"), ("url = mqtts://h\nca = c.pem", 2, "begins with /"),
        ("url = mqtt://h\nkeep-alive = 4", 2, "5 to 3600"), ("url = mqtt://h\nkeep-alive = often", 2, "5 to 3600"),
        ("url = mqtt://h\nclient-id = a#b", 2, "no +, no #"),
        ("url = mqtt://h\nhome-assistant = favorite", 2, "favourites, direct, all"),
        ("url = mqtt://h\nhome-assistant = !ffffffff", 2, "favourites, direct, all"),
        ("url = mqtt://h\nhome-assistant-prefix = x", 2, "needs home-assistant"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-prefix = x/#", 3, "no +, no #"),
        ("url = mqtt://h\nhome-assistant-texts = 0", 2, "needs home-assistant"),
        ("url = mqtt://h\nhome-assistant-direct = yes", 2, "needs home-assistant"),
        ("url = mqtt://h\nhome-assistant-commands = yes", 2, "needs home-assistant"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-commands = maybe", 3, "write yes or no"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-direct =", 3, "no value"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-texts = ,", 3, "names no channel"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-texts = 8", 3, "0 to 7"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-texts = -1", 3, "0 to 7"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-texts = Hikers@roof", 3, "first eight digits"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-texts = @89abcdef", 3, "names no channel"),
        ("url = mqtt://h\nhome-assistant = all\nhome-assistant-texts = 1 2 Hikers 3", 3, "write a comma"),
        (
            "url = mqtt://h\nhome-assistant = all\nhome-assistant-texts = 0\nhome-assistant-texts = 1", 4,
            "already set in line 3"
        ),
    ]

    @Test(arguments: broken)
    func aMistakeIsNamed(text: String, line: Int?, advice: String) {
        let file = read(text)
        #expect(file.broker == nil)
        let found = file.mistakes.contains { $0.line == line && $0.text.contains(advice) }
        #expect(found, "\(file.mistakes.map(\.description))")
    }

    @Test func allOfThemAreFound() {
        let file = read("url = http://h\nkeep-alive = 0\nfoo = bar\nca = x")
        #expect(file.mistakes.map(\.line) == [1, 2, 3, 4])
    }

    @Test func aNameIsAFileNameAndNothingElse() {
        for name in ["House", "my broker", "", String(repeating: "a", count: 65), "ä"] {
            #expect(read("url = mqtt://h", name: name).broker == nil, "\(name)")
        }
        #expect(read("url = mqtt://h", name: "house-2").broker != nil)
    }

    /// One broken file takes none of the others out of force, and one broker is there once.
    @Test func aFolderIsRead() throws {
        let folder = NSTemporaryDirectory() + "brokers-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, text) in [
            ("b.conf", "url = mqtt://HOUSE"), ("a.conf", "url = mqtt://house"), ("c.conf", "nonsense"),
            ("d.conf", "url = mqtt://house:1884"), (".e.conf", "url = mqtt://x"), ("f.conf~", "url = mqtt://y"),
        ] {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        let reading = BrokersFolder(path: folder).read()
        let (files, mistakes) = (try #require(reading.files), reading.mistakes)
        #expect(mistakes.isEmpty)
        #expect(files.map(\.name) == ["a", "b", "c", "d"])
        #expect(files.map { $0.broker != nil } == [true, false, false, true])
        #expect(files[1].mistakes.first?.text.contains("a.conf already") == true)
        #expect(files[1].mistakes.first?.line == 1)
        let none = BrokersFolder(path: folder + "/nowhere").read()
        #expect(none.files?.isEmpty == true && none.mistakes.isEmpty)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("192.168.7.7", true), ("10.1.2.3", true), ("172.31.0.1", true), ("172.32.0.1", false),
        ("8.8.8.8", false), ("::1", true), ("fd12::1", true), ("fe80::1", true), ("2001:db8::1", false),
        ("house", true), ("house.local", true), ("house.lan", true), ("broker.example.org", false),
    ])
    func anAddressIsOfThisHouse(host: String, isIt: Bool) {
        #expect(Broker.isOfThisHouse(host) == isIt)
    }

    /// What cannot be read as a file, which nobody waits for: a folder, a pipe, a link to nowhere, no text, far too much of it.
    @Test func whatIsNoFileOfText() throws {
        let folder = NSTemporaryDirectory() + "brokers-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/folder.conf", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo(folder + "/pipe.conf", 0o644) == 0 && symlink("/nowhere", folder + "/gone.conf") == 0)
        try Data([0xFF, 0x00, 0xFE, 0x0A]).write(to: URL(filePath: folder + "/bytes.conf"))
        try Data("# so long\n".utf8 + [UInt8](repeating: 0x20, count: 2_000_000)).write(
            to: URL(filePath: folder + "/long.conf"))
        try Data("url = mqtt://h\n".utf8).write(to: URL(filePath: folder + "/good.conf"))
        let reading = BrokersFolder(path: folder).read()
        let (files, mistakes) = (try #require(reading.files), reading.mistakes)
        #expect(mistakes.isEmpty && files.map(\.name) == ["bytes", "folder", "good", "long", "pipe"])
        #expect(files.filter { $0.broker != nil }.map(\.name) == ["good"])
        #expect(files.last?.mistakes.first?.text.hasPrefix("is no file") == true, "\(files.last?.mistakes ?? [])")
    }

    /// The broker's thread would wait for it for ever, and a reload and the end of the service for the thread.
    @Test func aPasswordInAPipeIsNone() throws {
        let path = NSTemporaryDirectory() + "password-\(UUID().uuidString)"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let broker = Broker.local(1883) { ($0.user, $0.passwordFile) = ("mesh", path) }
        let error = #expect(throws: Broker.NoPassword.self) { try broker.password() }
        #expect(error?.description == "its password-file has no password in its first line")
    }
}
