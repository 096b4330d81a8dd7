import QRCodes
import Testing

/// What is drawn is read again by the standard's rules (ISO/IEC 18004), module by module, as a camera would.
@Suite struct AQRCodeCanBeReadAgain {
    /// One block of data each, so that nothing is interleaved: versions 1 to 5 with error correction L.
    static let texts = [
        "x", "https://meshtastic.org/e/#CgMSAQE",
        "https://meshtastic.org/e/#CgsSAQEoATABOgIIDRIWCAEY-gEgCygFOANIAVAbaAHABgFABQ",
        "äöü €",
    ]

    @Test(arguments: texts) func ofBlackOnWhite(_ text: String) throws {
        let code = try #require(QRCode(text))
        let drawn = code.text(.colours)
        let lines = drawn.split(separator: "\n").map { line in
            line.replacing("\u{1B}[38;5;16;48;5;231m", with: "").replacing("\u{1B}[0m", with: "")
        }
        #expect(lines.allSatisfy { $0.count == code.columns && !$0.contains("\u{1B}") })
        try #expect(read(lines.map(String.init), inkIsDark: true) == text)
    }

    @Test(arguments: texts) func withoutColours(_ text: String) throws {
        let code = try #require(QRCode(text))
        try #expect(read(code.text(.onDark).split(separator: "\n").map(String.init), inkIsDark: false) == text)
        try #expect(read(code.text(.onLight).split(separator: "\n").map(String.init), inkIsDark: true) == text)
        #expect(!code.text(.onDark).contains("\u{1B}"))
    }

    @Test(arguments: texts) func asAPicture(_ text: String) throws {
        let code = try #require(QRCode(text))
        let svg = code.svg
        let all = code.columns
        #expect(svg.hasPrefix(#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(all) \#(all)""#))
        #expect(svg.contains(##"<path fill="#fff" d="M0 0h\##(all)v\##(all)h-\##(all)z"/>"##))
        // Every other subpath is a row of dark modules.
        var modules = Array(repeating: Array(repeating: false, count: code.columns), count: code.columns)
        for run in svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (column, row, count) = (try #require(Int(run.1)), try #require(Int(run.2)), try #require(Int(run.3)))
            #expect(run.3 == run.4)
            for place in column..<column + count { modules[row][place] = true }
        }
        let lines = stride(from: 0, to: code.columns, by: 2).map { row in
            String(
                zip(modules[row], row + 1 < code.columns ? modules[row + 1] : modules[row].map { _ in false })
                    .map { upper, lower in upper ? lower ? "█" : "▀" : lower ? "▄" : " " })
        }
        try #expect(read(lines, inkIsDark: true) == text)
    }

    @Test func aTextThatIsTooLongHasNone() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "a", count: 2954)) == nil)
        #expect(QRCode(String(repeating: "a", count: 2953))?.size == 177)
    }

    private struct NoCode: Error {}

    /// - Parameter inkIsDark: a block stands for dark modules.
    private func read(_ lines: [String], inkIsDark: Bool) throws -> String {
        var rows: [[Bool]] = []
        for line in lines {
            rows.append(line.map { ("█▀".contains($0)) == inkIsDark })
            rows.append(line.map { ("█▄".contains($0)) == inkIsDark })
        }
        let size = rows[0].count - 8
        // The quiet zone: four modules on every side, light.
        for (number, row) in rows.enumerated() {
            let isInside = (4..<size + 4).contains(number)
            for (column, isDark) in row.enumerated() where !isInside || !(4..<size + 4).contains(column) {
                if isDark { throw NoCode() }
            }
        }
        let modules = rows[4..<size + 4].map { Array($0[4..<size + 4]) }
        guard finders(modules, size) else { throw NoCode() }
        return try decode(modules, size)
    }

    private func finders(_ modules: [[Bool]], _ size: Int) -> Bool {
        [(0, 0), (0, size - 7), (size - 7, 0)].allSatisfy { top, left in
            (0..<7).allSatisfy { row in
                (0..<7).allSatisfy { column in
                    let ring = max(abs(row - 3), abs(column - 3))
                    return modules[top + row][left + column] == (ring != 2)
                }
            }
        }
    }

    private func decode(_ modules: [[Bool]], _ size: Int) throws -> String {
        let version = (size - 17) / 4
        guard (1...5).contains(version) else { throw NoCode() }
        // The format: level and mask, XORed with 101010000010010; around the upper left finder.
        let places = [(8, 0), (8, 1), (8, 2), (8, 3), (8, 4)]
        let format = places.reduce(0) { $0 << 1 | (modules[$1.0][$1.1] ? 1 : 0) } ^ 0b10101
        guard format >> 3 == 0b01 else { throw NoCode() }
        var bits: [Bool] = []
        var isUpward = true
        var right = size - 1
        while right > 0 {
            // The vertical timing pattern has a column of its own.
            if right == 6 { right -= 1 }
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFunction(row, column, size, version) {
                    bits.append(modules[row][column] != isMasked(format & 7, row, column))
                }
            }
            isUpward.toggle()
            right -= 2
        }
        func number(_ start: Int, _ count: Int) -> Int {
            bits[start..<start + count].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        guard number(0, 4) == 0b0100 else { throw NoCode() }
        let bytes = (0..<number(4, 8)).map { UInt8(number(12 + 8 * $0, 8)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func isFunction(_ row: Int, _ column: Int, _ size: Int, _ version: Int) -> Bool {
        if row < 9 && column < 9 || row < 9 && column >= size - 8 || row >= size - 8 && column < 9 { return true }
        if row == 6 || column == 6 { return true }
        // From version 2 on one alignment pattern, in the lower right.
        return version > 1 && abs(row - (size - 7)) <= 2 && abs(column - (size - 7)) <= 2
    }

    private func isMasked(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }
}
