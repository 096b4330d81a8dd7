import MeshModel

extension RunningBrokers {
    /// What is wrong with the brokers: mistakes in their files, those that refuse us, what keeps them from being connected
    /// to, such as a library that is missing, and those that have been away for ten minutes.
    ///
    /// - Parameter showsFiles: with the names of files, for users of this machine.
    public func problems(showsFiles: Bool) -> [Problem] {
        let (state, reports) = (current, reports)
        let used = state.files.compactMap { file in reports.first { $0.broker.name == file.name } }
        return [broken(state, used, showsFiles: showsFiles)].compactMap(\.self) + used.compactMap(\.away)
    }

    private func broken(_ state: State, _ used: [BrokerStatus], showsFiles: Bool) -> Problem? {
        let command = "mesh-gateway mqtt status"
        if let missing = state.missing {
            return Problem(.brokerBroken, "\(missing).", command: "sudo apt install libmosquitto1")
        }
        if let mistake = (state.mistakesOfFolder + state.files.flatMap(\.mistakes)).first {
            let text = showsFiles ? "\(mistake)" : "A broker's file has a mistake"
            return Problem(
                .brokerBroken, "\(text)\(text.hasSuffix("?") ? "" : ".") To see all: \(command)", command: command)
        }
        if let refused = used.first(where: { $0.report.state == .refused }) {
            return Problem(
                .brokerBroken,
                "The broker \(refused.broker.name) refuses us\(refused.why). Correct its file and reload.",
                command: "mesh-gateway mqtt test \(refused.broker.name)")
        }
        guard let (name, obstacle) = state.obstacles.min(by: { $0.key < $1.key }) else { return nil }
        return Problem(
            .brokerBroken, "The broker \(name) is not connected to: \(obstacle.text)", command: obstacle.command)
    }
}

extension BrokerStatus {
    fileprivate var why: String { report.reason.map { ": \($0)" } ?? "" }

    fileprivate var away: Problem? {
        guard report.awaySince != nil else { return nil }
        let command = "mesh-gateway mqtt test \(broker.name)"
        return Problem(
            .brokerAway,
            "The broker \(broker.name) has been away for ten minutes or more\(why). To try it: \(command)",
            command: command)
    }
}
