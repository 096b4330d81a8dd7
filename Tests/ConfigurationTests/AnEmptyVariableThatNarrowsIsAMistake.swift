import Configuration
import Testing

/// An empty variable counts as unset. Where a value would say who may do something, nobody knows what was meant: it is named, and
/// no radio is shared.
@Suite struct AnEmptyVariableThatNarrowsIsAMistake {
    @Test(arguments: [
        ("MESH_GATEWAY_SHARE_NETWORKS", "share-networks is everybody"),
        ("MESH_GATEWAY_LISTEN", "listen is port 8080 of all addresses"),
        ("MESH_GATEWAY_ALLOWED_ORIGINS", "allowed-origins is pages of localhost"),
    ])
    func whichNarrows(_ name: String, _ meaning: String) throws {
        let directory = try ConfigurationDirectory("share = *:4403\n")
        let reading = Configuration.read(file: directory.file, environment: [name: ""])
        #expect(reading.mistakes.isEmpty)
        #expect(
            reading.configuration.emptied.map { "\($0)" } == [
                "environment variable \(name) is empty, and without a value \(meaning); give it one, or unset it"
            ])
        #expect(Configuration.read(file: directory.file, environment: [:]).configuration.emptied.isEmpty)
    }

    @Test func noOther() throws {
        let directory = try ConfigurationDirectory("")
        let others = Key.allCases.map(\.environmentVariable).filter {
            !["MESH_GATEWAY_SHARE_NETWORKS", "MESH_GATEWAY_LISTEN", "MESH_GATEWAY_ALLOWED_ORIGINS"].contains($0)
        }
        let environment = Dictionary(uniqueKeysWithValues: (others + ["ALLOWED_ORIGINS"]).map { ($0, "") })
        let reading = Configuration.read(file: directory.file, environment: environment)
        #expect(reading.mistakes.isEmpty && reading.configuration == Configuration())
    }

    /// What a line of a file leaves of a port that is open.
    @Test func whatIsLeftOfAPortIsTheLesser() throws {
        let admin = try #require(ShareSetting("*:4403/admin"))
        let lines = ["*:4403/read", "*:4404/admin", "127.0.0.1:4403/admin", "*:4403/admin@Attic"].compactMap(
            ShareSetting.init)
        #expect(admin.narrowed(to: lines)?.description == "*:4403/read")
        // How a change of settings is told is for the next start.
        let closing = try #require(ShareSetting("*:4403/send/close"))
        #expect(closing.narrowed(to: lines)?.description == "*:4403/read/close")
        #expect(lines[0].narrowed(to: [admin]) == lines[0])
        #expect(admin.narrowed(to: Array(lines.dropFirst())) == nil && admin.narrowed(to: []) == nil)
    }
}
