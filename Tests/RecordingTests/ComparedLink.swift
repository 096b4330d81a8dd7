import MeshModel
import Recordings

extension PlayedRecording {
    /// The link at the end of the recording. Whatever happened before - reboots with and without a word, handshakes cut
    /// short, a cable that was pulled - the last handshake of the oracle was answered, so that the session lives and knows
    /// its radio; only a radio that has started anew since then has to be asked again.
    func compareLink() -> Findings {
        var findings = Findings(name)
        let restartsAtTheEnd = recording.segments.last!.boots
        let expected: LinkState = restartsAtTheEnd ? .configuring : .live
        findings.compare("link", "state", expected: expected.name, found: statusAtEnd.link.name)
        findings.compare("link", "problem", expected: nil, found: statusAtEnd.link.problem?.name)
        findings.compare(
            "link", "problems", expected: LoRaSettings.hasRegion(oracle.lora) ? [] : ["region-unset"],
            found: statusAtEnd.problems.map(\.name).filter { $0 != "host-clock-unset" })
        findings.compare(
            "link", "node number", expected: oracle.ownNumber, found: statusAtEnd.myInfo?.number ?? .broadcast)
        findings.compare(
            "link", "restarts", expected: oracle.rebootCount, found: statusAtEnd.myInfo?.rebootCount ?? .max)
        return findings
    }
}

extension LoRaSettings {
    fileprivate static func hasRegion(_ fields: Fields) -> Bool { (fields.string("region") ?? "UNSET") != "UNSET" }
}
