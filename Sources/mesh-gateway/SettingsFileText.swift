import Glibc
import MeshProtocol
import Terminal
import YAML

/// A file of settings as it lies on the disk. The daemon never reads one.
enum SettingsFileText {
    /// Reads the file, or says in one sentence what is wrong with it, where, and what to do.
    ///
    /// - Parameter file: `-` is standard input.
    static func read(_ file: String) throws -> ReadSettingsFile {
        let name = file == "-" ? "standard input" : file
        let bytes = try bytes(file, name)
        do {
            return try ReadSettingsFile(YAML.values(of: bytes).map(SettingsFileValue.init))
        } catch let error as YAMLError {
            throw refusal(of: error, name)
        } catch let error as SettingsFileError {
            let place = error.line.map { ", line \($0)" } ?? ""
            throw failure("\(name)\(place): \(error.reason); mend it there, nothing was written.", .dataError)
        }
    }

    /// At most one byte more than is read.
    private static func bytes(_ file: String, _ name: String) throws -> [UInt8] {
        let descriptor = file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(name, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= YAML.longest {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name, errno) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static func unreadable(_ name: String, _ number: Int32) -> any Error {
        failure(
            "\(name) cannot be read: \(systemMessage(number)); name a file that mesh-gateway radio config export or "
                + "meshtastic --export-config has written.", .noInput)
    }

    private static func refusal(of error: YAMLError, _ name: String) -> any Error {
        let (reason, advice): (String, String)
        switch error {
        case .noLibrary(let why):
            return failure(
                "a file of settings is read with libyaml, which cannot be loaded (\(why)); type: "
                    + "apt install libyaml-0-2", .unavailable)
        case .tooLong:
            reason = "this is longer than \(YAML.longest >> 10) kB"
            advice = "name a file that mesh-gateway radio config export or meshtastic --export-config has written"
        case .notUTF8: (reason, advice) = ("this is no text in UTF-8", "save it as UTF-8")
        case .malformed(let why, _):
            reason = "this is no YAML (\(why))"
            advice = "mend it there, or export it once more if the file is cut"
        case .refused(let what, _): (reason, advice) = ("\(what) is not read here", "write the value itself")
        case .tooDeep:
            (reason, advice) = ("more than \(YAML.deepest) levels within each other", "no file of settings has them")
        case .strangeKey: (reason, advice) = ("a key that is no text", "give it a name")
        case .twice(let key, _): (reason, advice) = ("\"\(key)\" is there twice", "remove one of them")
        case .second: (reason, advice) = ("a second document (---)", "keep one in a file")
        case .noMapping:
            (reason, advice) = ("this is no list of names and values", "begin it with names such as owner:")
        }
        let place = error.line.map { ", line \($0)" } ?? ""
        return failure("\(name)\(place): \(reason); \(advice). Nothing was written.", .dataError)
    }
}

extension SettingsFileValue {
    fileprivate init(_ value: YAMLValue) {
        self.init(path: value.words, text: value.text, line: value.line)
    }
}
