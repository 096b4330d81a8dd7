import Glibc
import Terminal
import Testing

@Suite struct ATerminalShowsOnlyWhatIsMeant {
    /// Text, as it is shown.
    @Test(arguments: [
        ("plain é 日本 🐝", "plain é 日本 🐝"), ("a\nb\tc", "a␊b␉c"), ("\u{1B}[31mred", "␛[31mred"), ("\0", "␀"),
        ("\u{7F}", "␡"), ("\u{9B}31m", "\u{FFFD}31m"), ("a\u{202E}b", "a\u{FFFD}b"), ("a\u{2066}b", "a\u{FFFD}b"),
        ("a\u{200B}b", "a\u{FFFD}b"), ("👩‍👩‍👧", "👩‍👩‍👧"), ("❤️", "❤️"), ("a\r\nb", "a␍␊b"), ("\u{2028}", "\u{FFFD}"),
    ]) func ofAText(text: String, shown: String) {
        #expect(printable(text) == shown)
    }

    /// Text, cells.
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("🐝", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
        ("❤️", 2), ("❤", 1), ("👍🏽", 2), ("Ａ", 2), ("ｱ", 1), ("ก็", 1), ("…", 1), ("ע", 1),
    ]) func inSoManyCells(text: String, cells: Int) {
        #expect(displayWidth(text) == cells, "\(text)")
    }

    @Test func inATable() {
        var table = Table([.init("Name", widest: 6), .init("SNR", .right), .init("Note")])
        #expect(table.isEmpty)
        table.add(["🐝bee", "-7.25", ""])
        table.add(["日本", "4", "a\u{1B}b"])
        table.add(["very long", "", "x"])
        #expect(
            table.text() == """
                Name      SNR  Note
                🐝bee   -7.25
                日本        4  a␛b
                very …         x

                """)
        #expect(table.text(style: .bold).hasPrefix("\u{1B}[1mName      SNR  Note\u{1B}[0m\n"))
    }

    /// What does not fit loses columns, then the ends of its widest cells, and stands as blocks at last.
    @Test func inATableThatFitsTheScreen() {
        var table = Table([
            .init("NODE"), .init("NAME"), .init("SNR", .right, expendability: 1), .init("ROLE", expendability: 2),
        ])
        table.add(["!a1b2c3d4", "Hütte auf dem Berg", "-7.3", "ROUTER"])
        table.add(["!a1b2c3d5", "日本の無線局", "", "CLIENT"])
        #expect(table.text(screen: 43) == table.text())
        #expect(
            table.text(screen: 42) == """
                NODE       NAME                 SNR
                !a1b2c3d4  Hütte auf dem Berg  -7.3
                !a1b2c3d5  日本の無線局

                """)
        #expect(
            table.text(screen: 22) == """
                NODE       NAME
                !a1b2c3d4  Hütte auf …
                !a1b2c3d5  日本の無線…

                """)
        #expect(
            table.text(screen: 17) == """
                !a1b2c3d4
                  NAME Hütte auf
                  dem Berg
                  SNR -7.3
                !a1b2c3d5
                  NAME
                  日本の無線局

                """)
        for width in 9...60 {
            for line in table.text(screen: width).split(separator: "\n") {
                #expect(displayWidth(String(line)) <= width)
            }
        }
    }

    @Test func inFieldsThatGoOnBelowThemselves() {
        var fields = Fields()
        fields.add("radio", "live, since 2026-11-21 12:00:00")
        fields.add("", nil)
        fields.add("", "The region is not set: mesh-gateway radio config set lora.region=EU_868")
        fields.add("name", "a\u{1B}b")
        #expect(
            fields.text() == """
                radio  live, since 2026-11-21 12:00:00
                       The region is not set: mesh-gateway radio config set lora.region=EU_868
                name   a␛b

                """)
        #expect(
            fields.text(width: 40) == """
                radio  live, since 2026-11-21 12:00:00
                       The region is not set:
                       mesh-gateway radio config set
                       lora.region=EU_868
                name   a␛b

                """)
        for width in 4...60 {
            for line in fields.text(width: width).split(separator: "\n") {
                #expect(displayWidth(String(line)) <= width)
            }
        }
    }

    @Test func colourOnlyOnATerminal() throws {
        let file = open("/dev/null", O_WRONLY)
        defer { close(file) }
        #expect(!isTerminal(file))
        #expect(!isColourWanted(on: file, environment: [:]))
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        #expect(isTerminal(terminal))
        #expect(isColourWanted(on: terminal, environment: ["TERM": "xterm", "NO_COLOR": ""]))
        #expect(!isColourWanted(on: terminal, environment: ["NO_COLOR": "1"]))
        #expect(!isColourWanted(on: terminal, environment: ["TERM": "dumb"]))
    }

    @Test(
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1 kB"), (1449, "1.4 kB"), (1450, "1.5 kB"),
            (9949, "9.9 kB"), (9950, "10 kB"), (83_400, "83 kB"), (999_499, "999 kB"), (999_500, "1 MB"),
            (1_000_000, "1 MB"), (2_500_000_000, "2.5 GB"), (UInt64.max, "18 EB"),
        ] as [(UInt64, String)]) func aSize(bytes: UInt64, words: String)
    {
        #expect(sizeInWords(bytes) == words)
    }

    @Test(
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min"), (119, "1 min"), (3600, "1 h"), (3660, "1 h 1 min"),
            (86_399, "23 h 59 min"), (86_400, "1 d"), (370_800, "4 d 7 h"),
        ] as [(UInt64, String)]) func aDuration(seconds: UInt64, words: String)
    {
        #expect(durationInWords(seconds: seconds) == words)
    }

    @Test(arguments: [(1, "once"), (2, "twice"), (3, "3 times"), (1_000, "1000 times")] as [(Int64, String)])
    func howOften(count: Int64, words: String) {
        #expect(timesInWords(count) == words)
    }
}
