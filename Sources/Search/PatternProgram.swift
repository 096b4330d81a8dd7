/// A pattern as a state machine. Where a state has two ways on, the first is preferred.
struct PatternProgram: Sendable {
    struct State: Sendable {
        enum Kind: UInt8 {
            /// These take one scalar and continue with the next state.
            case scalar, folded, any, line, set, foldedSet
            /// These take nothing.
            case both, jump, save, assertion, end
        }

        var kind: Kind
        /// A scalar, the number of a set, slot or assertion, or where a way leads.
        var value: UInt32 = 0
        /// Where the other way leads.
        var other: UInt32 = 0
    }

    /// The folded scalars that a match can begin with.
    struct First: Sendable {
        var low: UInt64 = 0
        var high: UInt64 = 0
        var isOther = false

        func contains(_ scalar: UInt32) -> Bool {
            if scalar < 64 { return low >> UInt64(scalar) & 1 == 1 }
            return scalar < 128 ? high >> UInt64(scalar - 64) & 1 == 1 : isOther
        }

        mutating func insert(_ scalar: UInt32) {
            switch LetterCase.folded(scalar) {
            case let low where low < 64: self.low |= 1 << UInt64(low)
            case let high where high < 128: self.high |= 1 << UInt64(high - 64)
            default: isOther = true
            }
        }
    }

    private(set) var states: [State] = []
    private(set) var sets: [ScalarSet] = []
    let names: [String]
    /// nil if a match can be empty.
    private(set) var first: First?
    /// It can match only at the start of the text.
    private(set) var isAtStart = false
    let isPhrase: Bool
    let needed: NeededText

    init(_ syntax: PatternSyntax, names: [String], isPhrase: Bool = false) {
        (self.names, self.isPhrase, needed) = (names, isPhrase, NeededText(syntax))
        add(syntax)
        append(.end)
        (first, isAtStart) = beginning()
    }

    // MARK: from the tree

    private var next: UInt32 { UInt32(states.count) }

    @discardableResult
    private mutating func append(_ kind: State.Kind, _ value: UInt32 = 0) -> Int {
        states.append(State(kind: kind, value: value))
        return states.count - 1
    }

    private mutating func add(_ syntax: PatternSyntax) {
        switch syntax {
        case .nothing: break
        case .scalar(let scalar, let ignoresCase): append(ignoresCase ? .folded : .scalar, scalar)
        case .any(let alsoNewline): append(alsoNewline ? .any : .line)
        case .set(let set, let ignoresCase):
            let number = sets.firstIndex(of: set) ?? sets.count
            if number == sets.count { sets.append(set) }
            append(ignoresCase ? .foldedSet : .set, UInt32(number))
        case .assertion(let assertion): append(.assertion, UInt32(assertion.rawValue))
        case .named(let number, let part):
            append(.save, UInt32(2 + 2 * number))
            add(part)
            append(.save, UInt32(3 + 2 * number))
        case .sequence(let parts): for part in parts { add(part) }
        case .choice(let parts):
            var ends: [Int] = []
            for part in parts.dropLast() {
                let split = append(.both)
                states[split].value = next
                add(part)
                ends.append(append(.jump))
                states[split].other = next
            }
            add(parts[parts.count - 1])
            for end in ends { states[end].value = next }
        case .repeated(let part, let least, let most, let isLazy): add(part, least, most, isLazy)
        }
    }

    private mutating func add(_ part: PatternSyntax, _ least: Int, _ most: Int?, _ isLazy: Bool) {
        guard let most else {
            for _ in 0..<max(0, least - 1) { add(part) }
            guard least == 0, !part.canBeEmpty else {
                // A part that can be empty is repeated as (part+)?, so that its ways are tried in their order.
                let skip = least == 0 ? append(.both) : nil
                let start = next
                add(part)
                let again = append(.both)
                lead(again, to: start, else: next, isLazy)
                if let skip { lead(skip, to: start, else: next, isLazy) }
                return
            }
            let loop = append(.both)
            add(part)
            append(.jump, UInt32(loop))
            lead(loop, to: UInt32(loop) + 1, else: next, isLazy)
            return
        }
        for _ in 0..<least { add(part) }
        var skips: [Int] = []
        for _ in 0..<(most - least) {
            skips.append(append(.both))
            add(part)
        }
        for skip in skips { lead(skip, to: UInt32(skip) + 1, else: next, isLazy) }
    }

    private mutating func lead(_ state: Int, to part: UInt32, else rest: UInt32, _ isLazy: Bool) {
        (states[state].value, states[state].other) = isLazy ? (rest, part) : (part, rest)
    }

    // MARK: how it begins

    private func beginning() -> (First?, isAtStart: Bool) {
        var first = First()
        var (seen, waiting) = (Set<UInt32>(), [UInt32(0)])
        var isEmpty = false
        while let number = waiting.popLast() {
            guard seen.insert(number).inserted else { continue }
            let state = states[Int(number)]
            switch state.kind {
            case .scalar, .folded: first.insert(state.value)
            case .any, .line: first = First(low: .max, high: .max, isOther: true)
            case .set, .foldedSet: insert(sets[Int(state.value)], into: &first)
            case .both: waiting += [state.value, state.other]
            case .jump: waiting.append(state.value)
            case .save, .assertion: waiting.append(number + 1)
            case .end: isEmpty = true
            }
        }
        let begin = states.first { $0.kind != .save }
        let isAtStart = begin?.kind == .assertion && begin?.value == UInt32(PatternSyntax.Assertion.textBegin.rawValue)
        return (isEmpty ? nil : first, isAtStart)
    }

    private func insert(_ set: ScalarSet, into first: inout First) {
        for scalar in 0..<128 as Range<UInt32> where set.contains(scalar) { first.insert(scalar) }
        guard set.isMoreThanASCII else { return }
        first.isOther = true
        // The long s and the Kelvin sign fold to ASCII.
        for scalar in [0x17F, 0x212A] as [UInt32] where set.contains(scalar) { first.insert(scalar) }
    }
}
