import MeshModel

extension RunningRules {
    /// What is wrong with the rules' files: rules that are inactive, or stay as they were, because of mistakes, and
    /// what keeps all of them from working.
    ///
    /// - Parameter showsFiles: with the names of files, for users of this machine.
    public func problems(showsFiles: Bool) -> [Problem] {
        let state = state
        let mistakes = state.mistakesOfFolder + state.files.flatMap(\.mistakes)
        let idle = obstacle.map { Problem(.ruleBroken, $0.sentence, command: $0.command) }
        guard let first = mistakes.first else { return [idle].compactMap(\.self) }
        let more = mistakes.count > 1 ? " There are \(mistakes.count) such lines." : ""
        let what =
            showsFiles ? "\(first)" + (first.text.hasSuffix("?") ? "" : ".") : "A rule's file has a mistake."
        let broken = Problem(
            .ruleBroken, "\(what)\(more) To see them: mesh-gateway rule list", command: "mesh-gateway rule list")
        return [broken, idle].compactMap(\.self)
    }

    /// The active rules, each with the targets that it names.
    public var tells: [(rule: String, targets: [String])] {
        state.inForce.filter(\.isEnabled).map { ($0.name, $0.targets) }
    }
}
