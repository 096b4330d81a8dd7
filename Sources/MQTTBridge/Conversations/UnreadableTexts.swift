/// What comes to a sealed conversation and is no text of it. A value, so that tests need not wait.
struct UnreadableTexts: Hashable, Sendable {
    /// For so long after a text nothing is said of others, in milliseconds: somebody has the right key.
    private static let patience: Int64 = 60_000

    /// Sealed, but not with its key for this topic, or cut or changed on the way.
    private(set) var unopened = 0
    /// In clear.
    private(set) var unsealed = 0
    /// When the last of them came, in steady milliseconds.
    private var cameAt: Int64?
    /// The same of the last text.
    private var textAt: Int64?

    mutating func note(isSealed: Bool, isOpened: Bool, at now: Int64) {
        guard !isOpened else { return textAt = now }
        if isSealed { unopened += 1 } else { unsealed += 1 }
        cameAt = now
    }

    /// What may be wrong; nil: nothing.
    func reason(at now: Int64) -> String? {
        guard let cameAt, textAt.map({ $0 <= cameAt && now - $0 >= Self.patience }) ?? true else { return nil }
        let kinds = [
            unopened > 0 ? "\(unopened) that its key does not open" : nil, unsealed > 0 ? "\(unsealed) in clear" : nil,
        ]
        return "dropped: " + kinds.compactMap(\.self).joined(separator: ", ")
    }
}
