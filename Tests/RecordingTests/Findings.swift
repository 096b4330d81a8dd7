import Testing

/// What differs between an oracle and the gateway, each in one line: recording, item, field, expected, found.
struct Findings {
    let recording: String
    private(set) var lines: [String] = []
    /// How many values were compared.
    private(set) var compared = 0

    init(_ recording: String) { self.recording = recording }

    mutating func compare<Value: Equatable>(
        _ item: @autoclosure () -> String, _ field: String, expected: Value, found: Value
    ) {
        compared += 1
        if expected != found { add(item(), field, "\(expected)", "\(found)") }
    }

    /// Compares decimal numbers: the gateway may have them as Float or as Double.
    mutating func compare(_ item: @autoclosure () -> String, _ field: String, decimal expected: Double?, found: Double?)
    {
        compared += 1
        guard let expected, let found else {
            if expected != nil || found != nil { add(item(), field, "\(expected as Any)", "\(found as Any)") }
            return
        }
        if abs(expected - found) > 1e-6 * max(1, abs(expected)) { add(item(), field, "\(expected)", "\(found)") }
    }

    mutating func add(_ item: String, _ field: String, _ expected: String, _ found: String) {
        lines.append("\(recording): \(item): \(field): expected \(expected), found \(found)")
    }

    /// Reports them to the test; a comparison of nothing is a failure too.
    func report() {
        #expect(compared > 0, "\(recording): nothing was compared")
        for line in lines.prefix(40) { Issue.record("\(line)") }
        if lines.count > 40 { Issue.record("\(recording): and \(lines.count - 40) more") }
    }
}
