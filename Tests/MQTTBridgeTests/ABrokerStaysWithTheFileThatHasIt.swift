import Folders
import Testing

@testable import MQTTBridge

/// Two files of one broker: the one that has it already keeps it, also where it is broken by now; at a start the first one by name.
@Suite struct ABrokerStaysWithTheFileThatHasIt {
    private func file(_ name: String, _ host: String?) -> BrokerFile {
        BrokerFile("url = " + (host.map { "mqtt://\($0)" } ?? "nonsense"), name: name, path: "\(name).conf")
    }

    /// - Parameters:
    ///   - kept: hosts that are in force, by name.
    ///   - hosts: those of the files now; nil for one with a mistake.
    /// - Returns: the hosts afterwards.
    private func inForce(_ kept: [String: String], _ hosts: [(String, String?)]) -> [String: String] {
        var known: [String: Broker] = [:]
        for (name, host) in kept { known[name] = file(name, host).broker }
        let files = BrokerFile.checked(hosts.map { file($0, $1) }, kept: known)
        return Dictionary(
            uniqueKeysWithValues: files.compactMap { file in
                (file.broker ?? known[file.name]).map { (file.name, $0.host) }
            })
    }

    @Test func asARowSays() {
        #expect(inForce([:], [("a", "x"), ("b", "X"), ("c", "y")]) == ["a": "x", "c": "y"])
        #expect(inForce(["b": "x"], [("a", "x"), ("b", "x")]) == ["b": "x"])
        #expect(inForce(["b": "x"], [("a", "x"), ("b", nil)]) == ["b": "x"], "a broken one stays in force")
        #expect(inForce(["b": "x"], [("a", "x")]) == ["a": "x"], "one that is gone makes room")
        #expect(
            inForce(["a": "x", "b": "y"], [("a", "y"), ("b", "x")]) == ["a": "y", "b": "x"], "they change places")
        // b cannot have what a has and keeps its own, so that nobody else gets that.
        #expect(
            inForce(["a": "y", "b": "x"], [("a", "y"), ("b", "y"), ("c", "x")]) == ["a": "y", "b": "x"])
    }
}
