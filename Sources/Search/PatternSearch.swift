/// One search of a text: follows all states in which the pattern may be, scalar by scalar, preferred ones first. Its memory is
/// that of the pattern's states.
struct PatternSearch {
    private let program: PatternProgram
    private let text: PatternText
    private let slots: Int
    private let most: Int
    private var now: PatternStates
    private var then: PatternStates
    private var walk: PatternWalk
    /// The positions that the match saved: its ends, and those of its groups; -1 for none.
    private(set) var best: [Int32] = []
    private var looks = 0

    /// - Parameters:
    ///   - slots: 0 to find only whether there is a match.
    ///   - most: after so many steps there is none.
    init(_ program: PatternProgram, in text: PatternText, slots: Int, most: Int = .max) {
        (self.program, self.text, self.slots, self.most) = (program, text, slots, most)
        now = PatternStates(program.states.count, slots: slots)
        then = now
        walk = PatternWalk(program, text, slots: slots)
    }

    /// How often a state was visited.
    var steps: Int { looks + walk.steps }

    mutating func run() -> Bool {
        let count = text.scalars.count
        var (place, isFound) = (0, false)
        while true {
            if now.list.isEmpty {
                if isFound || program.isAtStart && place > 0 { return isFound }
                if let first = program.first {
                    let start = place
                    while place < count, !first.contains(text.folded[place]) { place += 1 }
                    // Nothing that it can begin with is left in the text.
                    if place == count || program.isAtStart && place > start { return false }
                }
            }
            if !isFound, !program.isAtStart || place == 0 { walk.begin(in: &now, at: place) }
            if walk.hasEnded { return true }
            if take(at: place) { isFound = true }
            if walk.hasEnded { return true }
            guard place < count else { return isFound }
            guard steps <= most else { return false }
            swap(&now, &then)
            then.clear()
            place += 1
        }
    }

    /// Advances each state that takes the scalar. True if one is the end: what is left in `then` is preferred to it.
    private mutating func take(at place: Int) -> Bool {
        for number in now.list {
            let state = program.states[Int(number)]
            looks += 1
            if state.kind == .end {
                best = Array(now.slots(of: number))
                best[1] = Int32(place)
                return true
            }
            guard place < text.scalars.count, takes(state, at: place) else { continue }
            if slots > 0 { walk.saved = Array(now.slots(of: number)) }
            walk.add(number + 1, to: &then, at: place + 1)
            if walk.hasEnded { return true }
        }
        return false
    }

    private func takes(_ state: PatternProgram.State, at place: Int) -> Bool {
        switch state.kind {
        case .scalar: text.scalars[place] == state.value
        case .folded: text.folded[place] == state.value
        case .any: true
        case .line: text.scalars[place] != 0x0A
        case .set: program.sets[Int(state.value)].contains(text.scalars[place])
        case .foldedSet: program.sets[Int(state.value)].contains(text.folded[place])
        default: false
        }
    }
}

/// States in the order in which they were added, each once.
struct PatternStates {
    fileprivate(set) var list: [UInt32] = []
    /// States with the current mark have been added already.
    private var marks: [UInt32]
    private var mark: UInt32 = 1
    private let count: Int
    /// The slots saved on the way to each state.
    private var saved: [Int32]

    init(_ states: Int, slots: Int) {
        marks = Array(repeating: 0, count: states)
        saved = Array(repeating: -1, count: states * slots)
        count = slots
    }

    mutating func clear() {
        list.removeAll(keepingCapacity: true)
        mark += 1
    }

    /// False if the state has been added already.
    mutating func isNew(_ state: UInt32) -> Bool {
        guard marks[Int(state)] != mark else { return false }
        marks[Int(state)] = mark
        return true
    }

    mutating func append(_ state: UInt32, _ slots: [Int32]) {
        list.append(state)
        for slot in 0..<count { saved[Int(state) * count + slot] = slots[slot] }
    }

    func slots(of state: UInt32) -> ArraySlice<Int32> { saved[(Int(state) * count)..<(Int(state) * count + count)] }
}

/// Follows the ways from a state that take no scalar.
struct PatternWalk {
    private enum Step {
        case state(UInt32)
        case restore(slot: Int, Int32)
    }

    private let program: PatternProgram
    private let text: PatternText
    var saved: [Int32]
    private var waiting: [Step] = []
    private(set) var hasEnded = false
    private(set) var steps = 0

    init(_ program: PatternProgram, _ text: PatternText, slots: Int) {
        (self.program, self.text) = (program, text)
        saved = Array(repeating: -1, count: slots)
    }

    mutating func begin(in states: inout PatternStates, at place: Int) {
        for slot in saved.indices { saved[slot] = slot == 0 ? Int32(place) : -1 }
        add(0, to: &states, at: place)
    }

    /// Adds a state, and those to which it leads without a scalar, unless they are there already: then a preferred way came first.
    mutating func add(_ first: UInt32, to states: inout PatternStates, at place: Int) {
        waiting.append(.state(first))
        while let step = waiting.popLast() {
            guard case .state(let number) = step else {
                if case .restore(let slot, let value) = step { saved[slot] = value }
                continue
            }
            steps += 1
            guard states.isNew(number) else { continue }
            let state = program.states[Int(number)]
            switch state.kind {
            case .jump: waiting.append(.state(state.value))
            case .both:
                waiting.append(.state(state.other))
                waiting.append(.state(state.value))
            case .save:
                let slot = Int(state.value)
                if slot < saved.count {
                    waiting.append(.restore(slot: slot, saved[slot]))
                    saved[slot] = Int32(place)
                }
                waiting.append(.state(number + 1))
            case .assertion: if holds(state, at: place) { waiting.append(.state(number + 1)) }
            case .end where saved.isEmpty: hasEnded = true
            default: states.append(number, saved)
            }
        }
    }

    private func holds(_ state: PatternProgram.State, at place: Int) -> Bool {
        let count = text.scalars.count
        func isWord(_ place: Int) -> Bool { text.scalars.indices.contains(place) && isOfWord(text.scalars[place]) }
        switch PatternSyntax.Assertion(rawValue: UInt8(state.value))! {
        case .textBegin: return place == 0
        case .textEnd: return place == count
        case .lineBegin: return place == 0 || text.scalars[place - 1] == 0x0A
        case .lineEnd: return place == count || text.scalars[place] == 0x0A
        case .word: return isWord(place - 1) != isWord(place)
        case .noWord: return isWord(place - 1) == isWord(place)
        }
    }
}

/// ASCII's letters and digits, and _, as RE2 has it.
private func isOfWord(_ scalar: UInt32) -> Bool { Unicode.Scalar(scalar)?.isOfWord ?? false }

extension Unicode.Scalar {
    /// A letter or digit of ASCII, or _.
    var isOfWord: Bool {
        switch value {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}
