/// What a pattern says, as a tree.
indirect enum PatternSyntax {
    enum Place: UInt8 { case textBegin, textEnd, lineBegin, lineEnd, word, noWord }

    case nothing
    /// One that ignores case is folded.
    case scalar(UInt32, ignoresCase: Bool)
    case any(alsoNewline: Bool)
    case set(ScalarSet, ignoresCase: Bool)
    case place(Place)
    /// A group whose name has this number.
    case named(Int, PatternSyntax)
    case sequence([PatternSyntax])
    case choice([PatternSyntax])
    /// Without an upper bound when there is none.
    case repeated(PatternSyntax, from: Int, to: Int?, isLazy: Bool)

    /// It may be found where nothing is.
    var canBeEmpty: Bool {
        switch self {
        case .nothing, .place: true
        case .scalar, .any, .set: false
        case .named(_, let part): part.canBeEmpty
        case .sequence(let parts): parts.allSatisfy(\.canBeEmpty)
        case .choice(let parts): parts.contains(where: \.canBeEmpty)
        case .repeated(let part, let least, _, _): least == 0 || part.canBeEmpty
        }
    }
}
