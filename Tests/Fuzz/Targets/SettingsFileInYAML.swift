import MeshProtocol
import YAML

/// A file of the radio's settings.
final class SettingsFileInYAML: FuzzTarget {
    private static let untouchable: Set<String> = [
        "security.private_key", "security.public_key", "security.is_managed", "device.is_managed",
    ]

    func run(_ input: [UInt8]) throws {
        let lines =
            input.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + input.count { $0 >= 0x80 } + 1
        let values: [YAMLValue]
        do throws(YAMLError) {
            values = try YAML.values(of: input)
        } catch {
            if let line = error.line { try check((1...lines + 1).contains(line), "a mistake is in line \(line)") }
            if case .noLibrary(let reason) = error { throw Broken("libyaml is missing: \(reason)") }
            return
        }
        try check(values.count <= input.count + 1, "\(values.count) values of \(input.count) bytes")
        for value in values {
            try check((1...lines + 1).contains(value.line), "a value is in line \(value.line)")
            try check((1...YAML.deepest).contains(value.path.count), "a value has \(value.path.count) steps")
        }
        try check(Set(values.map(\.path)).count == values.count, "two values have one path")
        let file: ReadSettingsFile
        do throws(SettingsFileError) {
            file = try ReadSettingsFile(values.map { SettingsFileValue($0) })
        } catch {
            if let line = error.line { try check((1...lines + 1).contains(line), "a mistake is in line \(line)") }
            return try check(!error.reason.isEmpty, "a mistake says nothing")
        }
        try check(file.changes.allSatisfy { !Self.untouchable.contains($0.path) }, "the radio is given away")
    }
}

extension SettingsFileValue {
    init(_ value: YAMLValue) {
        self.init(path: value.words, text: value.text, line: value.line)
    }
}
