import Testing
import YAML

@Suite struct ATextIsReadOrRefusedByItsLine {
    private func values(_ text: String) throws -> [YAMLValue] { try YAML.values(of: Array(text.utf8)) }

    @Test func whatIsReadHasAPathAndALine() throws {
        let text = """
            # settings
            owner: "Hut \\u2744"
            empty:
            config:
              lora: {hopLimit: 3, ignoreIncoming: ['1', "2"]}
              device: {}
              list: []
            pins:
            - gpioPin: 4
              name: Door
            - gpioPin: 5
            - [6, ~]
            folded: >-
              a
              b
            """
        let read = try values(text).map { value in
            let path = value.path.map { step in
                switch step {
                case .key(let key): key
                case .element(let place): "\(place)"
                }
            }
            return "\(value.line) \(path.joined(separator: ".")) \(value.content)"
        }
        #expect(
            read == [
                "2 owner text(\"Hut ❄\")", "3 empty nothing", "5 config.lora.hopLimit text(\"3\")",
                "5 config.lora.ignoreIncoming.0 text(\"1\")", "5 config.lora.ignoreIncoming.1 text(\"2\")",
                "6 config.device emptyMapping", "7 config.list emptyList", "9 pins.0.gpioPin text(\"4\")",
                "10 pins.0.name text(\"Door\")", "11 pins.1.gpioPin text(\"5\")", "12 pins.2.0 text(\"6\")",
                "12 pins.2.1 nothing", "13 folded text(\"a b\")",
            ])
    }

    @Test func nothingIsNothing() throws {
        for text in ["", "\n\n", "# a comment alone\n", "---\n...\n"] { #expect(try values(text).isEmpty, "\(text)") }
    }

    static let refused: [(String, YAMLError)] = [
        ("owner: &name Hut", .refused("an anchor (&)", line: 1)),
        ("a: 1\nb: *name", .refused("an alias (*)", line: 2)),
        ("a: 1\nb: !!str 2", .refused("a tag (!)", line: 2)),
        ("a: {}\nb: !x {}", .refused("a tag (!)", line: 2)),
        ("a: 1\na: 2", .twice(key: "a", line: 2)),
        ("a:\n  b: 1\n  c: 2\n  b: 3", .twice(key: "b", line: 4)),
        ("a: 1\n---\nb: 2", .second(line: 2)),
        ("- a\n- b", .noMapping(line: 1)), ("settings", .noMapping(line: 1)),
        ("[a, b]: 1", .strangeKey(line: 1)), ("a: 1\n? {b: c}\n: 2", .strangeKey(line: 2)),
        ("a: [[[[[[[[1]]]]]]]]", .tooDeep(line: 1)),
    ]

    @Test(arguments: refused) func whatCouldMeanSomethingElse(_ text: String, _ why: YAMLError) {
        #expect(throws: why) { try values(text) }
    }

    @Test func eightLevelsAreRead() throws {
        #expect(try values("a: [[[[[[[1]]]]]]]").first?.path.count == 8)
        #expect(throws: YAMLError.tooDeep(line: 1)) { try values(String(repeating: "{a: ", count: 700)) }
        let steps = (0..<700).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
        #expect(throws: YAMLError.tooDeep(line: 9)) { try values(steps) }
    }

    @Test func whatIsCutOrMistypedHasALine() throws {
        for (text, line) in [
            ("a: 1\nb: [1, 2", 2), ("a: \"open", 2), ("a: 1\n  b: 2", 2), ("a: 1\n\tb: 2", 2), ("a: b: c", 1),
            ("a: 1\nb: \"\\q\"", 2), ("a: 1\nb: \u{7}", 2),
        ] {
            do {
                _ = try values(text)
                Issue.record("\(text) was read")
            } catch let error as YAMLError {
                guard case .malformed(let reason, let at) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(!reason.isEmpty && abs(at - line) <= 1, "\(text): \(error)")
            }
        }
    }

    @Test func textsAreInUTF8() {
        #expect(throws: YAMLError.notUTF8(line: 2)) { try YAML.values(of: Array("a: 1\nb: ".utf8) + [0xFC]) }
        #expect(throws: YAMLError.notUTF8(line: 1)) { try YAML.values(of: [0xFF, 0xFE, 0x61, 0]) }
        #expect(throws: YAMLError.notUTF8(line: 3)) {
            try YAML.values(of: Array("ä: ü\nb: 2\nc: ".utf8) + [0xC3, 0x28])
        }
    }

    @Test func aLongTextIsNotRead() throws {
        #expect(throws: YAMLError.tooLong) {
            try YAML.values(of: [UInt8](repeating: UInt8(ascii: "#"), count: YAML.longest + 1))
        }
        // What costs most within it takes a moment.
        let flat = (0..<30_000).flatMap { Array("k\($0):\n".utf8) }
        #expect(try YAML.values(of: flat).count == 30_000)
    }
}
