import MeshModel

extension RunningTargets {
    /// What is wrong with the targets: mistakes in their files, those that fail, and those that rules name and that get nothing.
    ///
    /// - Parameters:
    ///   - showsFiles: with the names of files, for users of this machine.
    ///   - tells: rules with the targets that they name.
    public func problems(showsFiles: Bool, tells: [(rule: String, targets: [String])]) -> [Problem] {
        let state = state
        return [broken(state, showsFiles: showsFiles, tells: tells)].compactMap(\.self) + failing(state) + pushesFailing
    }

    private func broken(
        _ state: State, showsFiles: Bool, tells: [(rule: String, targets: [String])]
    ) -> Problem? {
        var sentences: [String] = []
        let mistakes = state.mistakesOfFolder + state.files.flatMap(\.mistakes)
        if let first = mistakes.first {
            let more = mistakes.count > 1 ? " There are \(mistakes.count) such lines." : ""
            let what =
                showsFiles ? "\(first)" + (first.text.hasSuffix("?") ? "" : ".") : "A target's file has a mistake."
            sentences.append("\(what)\(more) To see them: mesh-gateway target list")
        }
        let inVain = TargetInVain.all(tells, Dictionary(state.files.map { ($0.name, state.isAlive($0)) }) { $1 })
        sentences += inVain.map(\.sentence)
        guard !sentences.isEmpty else { return nil }
        return Problem(
            .targetBroken,
            sentences.map { $0.hasSuffix(" ntfy") && $0 != sentences.last ? $0 + "." : $0 }.joined(separator: " "),
            command: mistakes.isEmpty ? inVain.lazy.compactMap(\.command).first : "mesh-gateway target list")
    }

    private func failing(_ state: State) -> [Problem] {
        var problems: [Problem] = []
        guard !state.files.isEmpty else { return problems }
        if let obstacle {
            problems.append(
                Problem(.targetFailing, "Nothing is sent: \(obstacle.text)", command: obstacle.command))
        }
        for file in state.files {
            guard let progress = progress(of: file.name), progress.isFailing else { continue }
            let command = "mesh-gateway target test \(file.name)"
            problems.append(
                Problem(
                    .targetFailing,
                    "\(file.name) is not told: \(progress.row.error ?? ""). To try it: \(command)", command: command))
        }
        return problems
    }
}

extension RunningTargets.State {
    /// Whether a target gets no notifications, as it is active or as its file says.
    fileprivate func isAlive(_ file: TargetFile) -> Bool {
        (inForce.first { $0.name == file.name } ?? file.target)?.isAlive ?? file.isAlive
    }
}
