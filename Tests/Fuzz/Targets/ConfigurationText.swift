import Configuration
import Glibc

/// A configuration file; behind a NUL, lines of NAME=VALUE as the environment.
final class ConfigurationText: FuzzTarget {
    private let path: String
    private let file: Int32

    init(folder: String) {
        path = "\(folder)/mesh-gateway.conf"
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        precondition(file >= 0, "\(path) cannot be made")
    }

    func run(_ input: [UInt8]) throws {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let reading = read(Array(parts.first ?? []), Self.environment(parts.count > 1 ? parts[1] : []))
        for mistake in reading.mistakes { _ = mistake.description }
        guard reading.mistakes.isEmpty, parts.count < 2 else { return }
        // What is right can be written, and is the same when it is read.
        let configuration = reading.configuration
        let lines = Key.allCases.flatMap { key in
            configuration.values(of: key).map { "\(key.rawValue) = \(Configuration.written($0))\n" }
        }
        let again = read(Array(lines.joined().utf8), [:])
        try check(again.mistakes.isEmpty, "it is written with a mistake: \(again.mistakes)")
        for key in Key.allCases {
            let (values, others) = (configuration.values(of: key), again.configuration.values(of: key))
            try check(values == others, "\(key.rawValue) was \(values) and is \(others)")
        }
    }

    private func read(_ text: [UInt8], _ environment: [String: String]) -> Configuration.Reading {
        precondition(
            ftruncate(file, 0) == 0 && pwrite(file, text, text.count, 0) == text.count, "\(path) cannot be written")
        return Configuration.read(file: path, environment: environment)
    }

    private static func environment(_ lines: ArraySlice<UInt8>) -> [String: String] {
        var variables: [String: String] = [:]
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            if parts.count == 2 { variables[parts[0]] = parts[1] }
        }
        return variables
    }

    deinit { close(file) }
}
