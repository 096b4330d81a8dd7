import Configuration
import Glibc
import Testing

/// A directory with mesh-gateway.conf and drop-ins, removed at the end.
final class ConfigurationDirectory {
    let path: String
    var file: String { path + "/mesh-gateway.conf" }
    var dropIns: String { file + ".d" }

    init(_ text: String? = nil, dropIns: [String: String] = [:]) throws {
        var template = Array("/tmp/mesh-gateway-test.XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
        if let text { try write(text, to: file) }
        if !dropIns.isEmpty { mkdir(self.dropIns, 0o700) }
        for (name, text) in dropIns { try write(text, to: self.dropIns + "/" + name) }
    }

    deinit {
        for directory in [dropIns, path] {
            if let handle = opendir(directory) {
                while let entry = readdir(handle) {
                    let name = withUnsafePointer(to: &entry.pointee.d_name) {
                        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                    }
                    unlink("\(directory)/\(name)")
                }
                closedir(handle)
            }
            rmdir(directory)
        }
    }

    func load(environment: [String: String] = [:], options: Configuration.Options = .init()) throws -> Configuration {
        try Configuration.load(file: file, environment: environment, options: options)
    }

    /// The mistake that loading finds.
    func mistake(environment: [String: String] = [:]) -> ConfigurationError? {
        do {
            _ = try Configuration.load(file: file, environment: environment)
            return nil
        } catch {
            return error
        }
    }

    private func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        let bytes = Array(text.utf8)
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }
}
