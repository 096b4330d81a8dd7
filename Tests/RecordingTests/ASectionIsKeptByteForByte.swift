import Goldens
import Testing

@Suite struct ASectionIsKeptByteForByte {
    @Test func whateverItsEndIs() throws {
        let sections = Sections([
            "a": "", "b": "\n", "c": "no end", "d": "\n\n an end\n", "e": "carriage\r\nreturn\r\n\n\n",
            "f": "==\n==x\n == y",
            "g": "e\u{301} 山 ⛰️",
        ])
        let text = try sections.text
        let read = try Sections(parsing: text)
        #expect(read == sections)
        for (name, text) in sections.texts { #expect(read.difference(of: text, named: name) == nil) }
        #expect(try read.text.utf8.elementsEqual(text.utf8))
        #expect(text.hasPrefix("== a\n\n== b\n\n\n== c\nno end\n== d\n\n\n an end\n\n== e\n"))
        #expect(try Sections(parsing: "") == Sections([:]))
    }

    @Test(arguments: ["== b", "== b\nx", "a\n== ", "a\n\n== b\n"]) func noLineOfItBeginsAnother(_ text: String) {
        #expect(throws: Sections.Flaw.ambiguous("a")) { try Sections(["a": text]).text }
    }

    @Test func aFlawOfTheFileIsNamed() {
        #expect(throws: Sections.Flaw.ambiguous("a\n")) { try Sections(["a\n": ""]).text }
        #expect(throws: Sections.Flaw.noName) { try Sections(parsing: "\n== a\n") }
        #expect(throws: Sections.Flaw.twice("a")) { try Sections(parsing: "== a\n\n== a\n") }
    }

    @Test func aDifferenceIsNamedByItsFirstLine() {
        let sections = Sections(["a": "one\ntwo\n", "b": "\u{E9}"])
        #expect(sections.difference(of: "one\ntwo\n", named: "a") == nil)
        #expect(sections.difference(of: "one\n2\n", named: "a") == "a: line 2 is\n2\nand was\ntwo")
        #expect(sections.difference(of: "one\ntwo", named: "a") == "a: line 3 is\nmissing\nand was\n")
        #expect(sections.difference(of: "one\ntwo\n\n", named: "a") == "a: line 4 is\n\nand was\nmissing")
        #expect(sections.difference(of: "e\u{301}", named: "b") != nil)
        #expect(sections.difference(of: "", named: "c") == "c is not there")
    }
}
