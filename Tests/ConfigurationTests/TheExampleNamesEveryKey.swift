import Configuration
import Foundation
import Testing

/// deploy/mesh-gateway.conf, which is installed: everything in it is a comment.
@Suite struct TheExampleNamesEveryKey {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../deploy/mesh-gateway.conf").standardized.path

    /// A setting in it is `#KEY = VALUE`, prose has a blank after the sign.
    private static func settings() throws -> [String] {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        return lines.filter { $0.first == "#" && $0.dropFirst().first.map { $0.isLetter } == true }
            .map { String($0.dropFirst()) }
    }

    @Test func asItComesItChangesNothing() {
        let reading = Configuration.read(file: Self.path, environment: [:])
        #expect(reading.mistakes.isEmpty && reading.hasFile)
        #expect(reading.configuration == Configuration())
    }

    @Test func everyKeyIsInIt() throws {
        let named = try Self.settings().map { $0.prefix { $0 != " " } }
        #expect(Set(named.map(String.init)) == Set(Key.allCases.map(\.rawValue)))
    }

    /// What stands there is what counts without it.
    @Test func itsValuesAreTheBuiltInOnes() throws {
        let directory = try ConfigurationDirectory(Self.settings().joined(separator: "\n"))
        let reading = Configuration.read(file: directory.file, environment: [:])
        #expect(reading.mistakes.isEmpty, "\(reading.mistakes)")
        let (given, builtIn) = (reading.configuration, Configuration())
        for key in Key.allCases {
            let values = given.values(of: key)
            switch key {
            case .database: #expect(values.first == Paths.databaseCandidates([:]).first)
            case .socket: #expect(values == [Paths.socket([:])])
            // Without it there is none, which no line says.
            case .trustedProxies, .certificate, .certificateKey, .publicURL, .share, .shareNetworks, .pushHosts,
                .pushContact, .appleKey, .appleKeyID, .appleTeam, .appleTopic:
                #expect(builtIn.values(of: key).isEmpty && values.count == 1)
            default: #expect(values == builtIn.values(of: key), "\(key)")
            }
            #expect(given.origin(of: key).kind == "file")
        }
    }

    /// It says what a running daemon does not take over.
    @Test func whatNeedsARestartIsSaid() throws {
        let text = try String(contentsOfFile: Self.path, encoding: .utf8)
        var needing: Set<String> = []
        for block in text.components(separatedBy: "\n\n") where block.contains("Needs a restart.") {
            for line in block.split(separator: "\n") where line.first == "#" && line.dropFirst().first != " " {
                needing.insert(String(line.dropFirst().prefix { $0 != " " }))
            }
        }
        #expect(needing == Set(Key.allCases.filter { !$0.isReloadable }.map(\.rawValue)))
    }
}
