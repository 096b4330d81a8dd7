import Configuration
import Testing

/// Who repairs a file wants to do so once.
@Suite struct EveryMistakeIsFound {
    @Test func inTheOrderOfTheSourcesAndTheirLines() throws {
        let directory = try ConfigurationDirectory(
            """
            log-level = loud
            devcie = auto
            listen = 1
            listen = localhost
            listen = nowhere
            name = "a
            log-level = info
            """,
            dropIns: ["1.conf": "auto\nkeep-packets = 3 days", "2.conf": "keep-packets = 3d"])
        let reading = Configuration.read(file: directory.file, environment: ["MESH_GATEWAY_DEVIC": "x"])
        let places = reading.mistakes.map { "\($0.file ?? "-"):\($0.line ?? 0)" }
        let first = directory.dropIns + "/1.conf"
        #expect(places == [1, 2, 4, 5, 6, 7].map { "\(directory.file):\($0)" } + ["\(first):1", "\(first):2", "-:0"])
        for (mistake, place) in zip(reading.mistakes, places).dropLast() {
            #expect("\(mistake)".hasPrefix(place + ": "), "as compilers write it")
        }
        // What is right counts all the same.
        #expect(reading.configuration.keepPackets == .days(3))
        #expect(reading.configuration.listen == Configuration().listen)
    }

    @Test func whatWasReadIsTold() throws {
        let directory = try ConfigurationDirectory(
            "",
            dropIns: ["b.conf": "", "a.conf": "", "a.conf.dpkg-old": "nonsense", ".hidden": "nonsense", "README": ""])
        let reading = Configuration.read(file: directory.file, environment: [:])
        #expect(reading.mistakes.isEmpty && reading.hasFile && reading.file == directory.file)
        #expect(reading.dropIns == ["a.conf", "b.conf"].map { "\(directory.dropIns)/\($0)" })
        #expect(reading.ignored == ["README", "a.conf.dpkg-old"].map { "\(directory.dropIns)/\($0)" })
        let none = try ConfigurationDirectory()
        let missing = Configuration.read(file: none.file, environment: [:])
        #expect(missing.mistakes.count == 1 && missing.dropIns.isEmpty)
    }

    @Test func loadingStopsAtTheFirst() throws {
        let directory = try ConfigurationDirectory("a\nb")
        #expect(directory.mistake()?.line == 1)
    }

    @Test func aFileThatMayNotBeReadSaysHowItCan() {
        let mistake = ConfigurationError.unreadable(path: "/etc/x.conf", reason: "Permission denied")
        #expect("\(mistake)".contains("sudo chmod a+rX /etc/x.conf"))
    }
}
