import CQREncode

/// A text as a QR code (ISO/IEC 18004): on a terminal drawn with half blocks, two rows of modules a line.
public struct QRCode: Sendable {
    /// Modules of a side, without the quiet zone.
    public let size: Int
    /// Dark ones, row by row.
    private let modules: [Bool]

    /// Modules that must stay light around the code.
    static let quietZone = 4

    /// The smallest code that holds the text, with the lowest error correction: a screen has no scratches.
    /// QRcode_encodeString8bit. Nil: the text is empty or longer than a code can be (2953 bytes).
    public init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Cells of a line.
    public var columns: Int { size + 2 * Self.quietZone }

    /// How the modules are told apart.
    public enum Drawing: Sendable {
        /// Black on white whatever the terminal's colours are (ECMA-48 SGR with the 256 colours of xterm).
        case colours
        /// Without colours: light modules are drawn in the terminal's foreground, which is light on a dark terminal.
        case onDark
        /// Dark modules are drawn in the terminal's foreground.
        case onLight
    }

    /// Lines, each with a line feed.
    public func text(_ drawing: Drawing) -> String {
        let rows = -Self.quietZone..<size + Self.quietZone
        var text = ""
        for row in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
            let line = String(
                (-Self.quietZone..<size + Self.quietZone).map { column in
                    character(isDark(row, column), isDark(row + 1, column), inkIsDark: drawing.inkIsDark)
                })
            text += drawing.isColoured ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m\n" : line + "\n"
        }
        return text
    }

    func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    private func character(_ upper: Bool, _ lower: Bool, inkIsDark: Bool) -> Character {
        switch (upper == inkIsDark, lower == inkIsDark) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}

extension QRCode.Drawing {
    fileprivate var isColoured: Bool { if case .colours = self { true } else { false } }
    fileprivate var inkIsDark: Bool { if case .onDark = self { false } else { true } }
}
