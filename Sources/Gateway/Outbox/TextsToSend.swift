// What is made of a text before it is sent.

extension String {
    /// Line ends become newlines; other control characters go, which nobody can have meant to send.
    public var withoutControlCharacters: String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x0A where previous == "\r": break
            case 0x0D: result.append("\n")
            case 0x00...0x08, 0x0B, 0x0C, 0x0E...0x1F, 0x7F...0x9F: break
            default: result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }
}
