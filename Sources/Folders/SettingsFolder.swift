import Glibc
import Platform

// A folder of files beside the configuration file: NAME.conf is a rule, a target or a broker.
//
// 1. Other names do not count, such as an editor's copies, and neither do hidden files.
// 2. Files count in the byte order of their names, up to a limit.
// 3. A file is read even if another one is broken, and every mistake is found, not only the first.

/// What a file of a folder says, if nothing is wrong with it.
public protocol FileContent: Equatable, Sendable {
    /// That of its file.
    var name: String { get }
}

/// A file of a folder, as its room reads it.
public protocol FolderFile: Sendable {
    associatedtype Content: FileContent

    static var kind: FolderKind { get }

    /// Reads the settings.
    init(_ found: FoundFile)

    var found: FoundFile { get }

    /// nil if there is a mistake.
    var content: Content? { get }

    /// Checks what takes all files together; who fails gets a mistake.
    ///
    /// - Parameters:
    ///   - files: in the order of their names.
    ///   - kept: what is in force, by name, and stays so where a file has a mistake.
    static func checked(_ files: [Self], kept: [String: Content]) -> [Self]
}

extension FolderFile {
    public var name: String { found.name }
    public var path: String { found.path }
    public var mistakes: [Mistake] { found.mistakes }

    public static func checked(_ files: [Self], kept: [String: Content]) -> [Self] { files }

    /// A text that is, or would be, in a file.
    public init(_ text: String, name: String, path: String) {
        self.init(FoundFile(text, name: name, path: path, Self.kind))
    }

    /// - Returns: nil if there is no file.
    public init?(path: String) {
        guard let found = FoundFile(path: path, Self.kind) else { return nil }
        self.init(found)
    }
}

public struct SettingsFolder<File: FolderFile>: Sendable {
    public let path: String
    private let make: @Sendable (FoundFile) -> File

    /// - Parameters:
    ///   - path: of the folder, which need not exist.
    ///   - make: reads the settings of a file.
    public init(path: String, make: @escaping @Sendable (FoundFile) -> File = { File($0) }) {
        (self.path, self.make) = (path, make)
    }

    /// - Parameter file: the configuration file.
    public init(besideFile file: String) {
        let folder = file.lastIndex(of: "/").map { file[..<$0] } ?? "."
        self.init(path: "\(folder)/\(File.kind.folder)")
    }

    public func file(of name: String) -> String { "\(path)/\(name).conf" }

    /// What the file of a name says now, in force or not; nil if there is none.
    public func file(named name: String) -> File? {
        guard FileName.isFit(name) else { return nil }
        return FoundFile(path: file(of: name), File.kind).map(make)
    }

    /// Reads all files, broken ones included. There are none if there is no folder.
    public func read() -> FolderReading<File> {
        let began = MonotonicClock.nanoseconds()
        guard let names = names(in: path) else {
            let reason = errno
            if reason == ENOENT || reason == ENOTDIR { return FolderReading(began: began, read: [], mistakes: []) }
            let mistake = Mistake(File.kind.unreadableFolder(path, errorText(reason)), file: path)
            return FolderReading(began: began, read: nil, mistakes: [mistake])
        }
        let all = names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
        let surplus = Array(all.dropFirst(File.kind.limit))
        return FolderReading(
            began: began,
            read: all.prefix(File.kind.limit).compactMap { FoundFile(path: "\(path)/\($0)", File.kind).map(make) },
            mistakes: surplus.isEmpty ? [] : [Mistake(File.kind.tooMany(surplus), file: path)])
    }
}

/// What was found in a folder at one time.
public struct FolderReading<File: FolderFile>: Sendable {
    /// Monotonic nanoseconds.
    let began: UInt64
    /// Each checked by itself.
    let read: [File]?
    /// Of the folder itself.
    public let mistakes: [Mistake]

    /// All files, checked where nothing is in force; nil if the folder cannot be read.
    public var files: [File]? { read.map { File.checked($0, kept: [:]) } }

    /// Those of the folder and of its files.
    public var allMistakes: [Mistake] { mistakes + (files ?? []).flatMap(\.mistakes) }
}
