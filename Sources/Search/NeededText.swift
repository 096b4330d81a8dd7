/// What a text must contain for a pattern to match: one of a few runs of characters. Most texts contain none of them, and are
/// searched no further.
struct NeededText: Sendable {
    /// Folded. Empty if none is known.
    private(set) var runs: [[UInt32]] = []

    /// Looking for more would be as slow as the pattern itself.
    private static let most = 10

    init(_ syntax: PatternSyntax) {
        var run: [UInt32] = []
        add(syntax, &run)
        end(&run)
    }

    /// - Parameter run: the characters just before, which may continue here.
    private mutating func add(_ syntax: PatternSyntax, _ run: inout [UInt32]) {
        switch syntax {
        case .nothing, .assertion: break
        case .scalar(let scalar, _): run.append(LetterCase.folded(scalar))
        case .any, .set: end(&run)
        case .named(_, let part): add(part, &run)
        case .sequence(let parts): for part in parts { add(part, &run) }
        case .choice(let parts):
            end(&run)
            let needs = parts.map { NeededText($0).runs }
            if !needs.contains(where: \.isEmpty) { take(needs.flatMap(\.self)) }
        case .repeated(let part, let least, let most, _):
            if least == 1, most == 1 { return add(part, &run) }
            end(&run)
            if least > 0 { take(NeededText(part).runs) }
        }
    }

    private mutating func end(_ run: inout [UInt32]) {
        if !run.isEmpty { take([run]) }
        run = []
    }

    /// Keeps the rarer runs: the longer ones.
    private mutating func take(_ other: [[UInt32]]) {
        func shortest(_ runs: [[UInt32]]) -> Int { runs.map(\.count).min() ?? 0 }
        if other.count <= Self.most, shortest(other) > shortest(runs) { runs = other }
    }

    func isIn(_ folded: [UInt32]) -> Bool {
        runs.isEmpty || runs.contains { Self.find($0, in: folded) }
    }

    private static func find(_ run: [UInt32], in text: [UInt32]) -> Bool {
        run.withUnsafeBufferPointer { run in
            text.withUnsafeBufferPointer { text in
                guard text.count >= run.count else { return false }
                return (0...(text.count - run.count)).contains { place in
                    var length = 0
                    while length < run.count, text[place + length] == run[length] { length += 1 }
                    return length == run.count
                }
            }
        }
    }
}
