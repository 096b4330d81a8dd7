import Glibc

// A file of a folder as it was found: its settings with their lines, and what is wrong with it. The room that the folder belongs
// to knows the keys and what their values mean.

public struct FoundFile: Sendable {
    /// That of the file, without `.conf`.
    public let name: String
    public let path: String
    /// By line; those of the whole file first.
    public private(set) var mistakes: [Mistake] = []
    /// It could be read, whatever it says.
    public private(set) var isRead = false
    private let kind: FolderKind
    private var lines: [SettingLines.Line] = []

    /// A setting of a key that the file may have. The value may be empty.
    public struct Setting<Key: Sendable>: Sendable {
        public let key: Key
        public let value: String
        /// From 1 on.
        public let line: Int
    }

    /// A text that is, or would be, in a file.
    public init(_ text: String, name: String, path: String, _ kind: FolderKind) {
        self.init(name, path, kind)
        take(SettingLines(text, path: path))
    }

    /// Reads a file.
    ///
    /// - Returns: nil if there is none, or it has vanished meanwhile.
    public init?(path: String, _ kind: FolderKind) {
        let file = path.split(separator: "/").last ?? ""
        self.init(String(file.dropLast(".conf".count)), path, kind)
        // A pipe would be waited for.
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            refuse(kind.noFile)
            return
        }
        do throws(UnreadableFile) {
            guard let lines = try SettingLines.read(path, mustExist: false) else { return nil }
            take(lines)
        } catch {
            refuse(kind.unreadable(path, error.reason))
        }
    }

    private init(_ name: String, _ path: String, _ kind: FolderKind) {
        (self.name, self.path, self.kind) = (name, path, kind)
    }

    private mutating func take(_ file: SettingLines) {
        (isRead, lines, mistakes) = (true, file.lines, file.mistakes)
        if !FileName.isFit(name) { refuse(kind.badName) }
    }

    public mutating func refuse(_ text: String, _ line: Int? = nil) {
        let mistake = Mistake(text, file: path, line: line)
        let place = mistakes.lastIndex { ($0.line ?? 0) <= (line ?? 0) }.map { $0 + 1 } ?? 0
        mistakes.insert(mistake, at: place)
    }

    /// The settings in the order of their lines. An unknown key is a mistake, and so is one that is set twice.
    ///
    /// - Parameters:
    ///   - repeatable: keys that may be set more than once.
    ///   - absent: keys that somebody may look for in vain, and what to do instead.
    public mutating func settings(
        _ keys: [String], repeatable: Set<String> = [], absent: [String: String] = [:]
    ) -> [Setting<String>] {
        var found: [Setting<String>] = []
        var firstLines: [String: Int] = [:]
        for line in lines {
            guard keys.contains(line.key) else {
                if let advice = absent[line.key] {
                    refuse("there is no key \"\(line.key)\": \(advice)", line.number)
                    continue
                }
                let advice = nearestWord(to: line.key, among: keys).map { "did you mean \"\($0)\"?" }
                refuse(
                    "unknown key" + (kind.holdsSecrets ? "" : " \"\(line.key)\"") + "; "
                        + (advice ?? "the keys are \(keys.joined(separator: ", "))"), line.number)
                continue
            }
            if let first = firstLines[line.key], !repeatable.contains(line.key) {
                refuse("\"\(line.key)\" is already set in line \(first); leave one of them", line.number)
                continue
            }
            if firstLines[line.key] == nil { firstLines[line.key] = line.number }
            found.append(Setting(key: line.key, value: line.value, line: line.number))
        }
        return found
    }

    /// The same where the keys are an enumeration.
    public mutating func settings<Key: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
        of type: Key.Type, repeatable: Set<Key> = [], absent: [String: String] = [:]
    ) -> [Setting<Key>] {
        settings(Key.allCases.map(\.rawValue), repeatable: Set(repeatable.map(\.rawValue)), absent: absent)
            .compactMap { setting in
                Key(rawValue: setting.key).map { Setting(key: $0, value: setting.value, line: setting.line) }
            }
    }
}

extension BadValue {
    public static func empty(_ key: String) -> BadValue {
        BadValue("\(key) has no value; write one, or take the line out")
    }
}
