/// A pattern as a tree.
indirect enum PatternSyntax {
    enum Assertion: UInt8 { case textBegin, textEnd, lineBegin, lineEnd, word, noWord }

    case nothing
    /// Folded if case is ignored.
    case scalar(UInt32, ignoresCase: Bool)
    case any(alsoNewline: Bool)
    case set(ScalarSet, ignoresCase: Bool)
    case assertion(Assertion)
    /// A group whose name has this number.
    case named(Int, PatternSyntax)
    case sequence([PatternSyntax])
    case choice([PatternSyntax])
    /// `to` is nil if there is no upper bound.
    case repeated(PatternSyntax, from: Int, to: Int?, isLazy: Bool)

    /// Whether it can match an empty text.
    var canBeEmpty: Bool {
        switch self {
        case .nothing, .assertion: true
        case .scalar, .any, .set: false
        case .named(_, let part): part.canBeEmpty
        case .sequence(let parts): parts.allSatisfy(\.canBeEmpty)
        case .choice(let parts): parts.contains(where: \.canBeEmpty)
        case .repeated(let part, let least, _, _): least == 0 || part.canBeEmpty
        }
    }
}
