// What of a folder is in force. One meaning of a reload for rules, targets and brokers:
//
//   the file                at a start            at a reload
//   ----------------------  --------------------  ---------------------------------------
//   has no mistake          is in force           is in force as it is now
//   has a mistake           is left out           its last good version stays in force
//   is gone                                       is no longer in force
//   the folder is           nothing is in force   nothing changes
//   unreadable

public struct FolderOfFiles<File: FolderFile>: Sendable {
    /// As they were read last, by name.
    public private(set) var files: [File] = []
    /// Of the folder itself.
    public private(set) var mistakesOfFolder: [Mistake] = []
    /// By name, also of files that have mistakes by now.
    public private(set) var inForce: [File.Content] = []
    /// The folder could be read once, or is not there: what has no file is gone.
    public private(set) var isKnown = false
    private var began: UInt64 = 0
    private var wasRead = false

    public init() {}

    /// What the files say while nothing is in force.
    public init(filesOf reading: FolderReading<File>) {
        (files, mistakesOfFolder, isKnown) = (reading.files ?? [], reading.mistakes, reading.read != nil)
    }

    /// Those of the folder and of its files.
    public var allMistakes: [Mistake] { mistakesOfFolder + files.flatMap(\.mistakes) }

    public func inForce(_ name: String) -> File.Content? { inForce.first { $0.name == name } }

    /// With a file in force that is none of the folder's, unless one of these has its name, or nobody knows which there are.
    public func adding(_ file: File, _ content: File.Content) -> FolderOfFiles {
        guard isKnown, !files.contains(where: { $0.name == file.name }) else { return self }
        var next = self
        next.files.insert(file, at: files.firstIndex { file.name < $0.name } ?? files.endIndex)
        next.inForce.insert(content, at: inForce.firstIndex { content.name < $0.name } ?? inForce.endIndex)
        return next
    }

    /// Puts in force what was read.
    ///
    /// - Returns: what has changed in what is in force.
    @discardableResult
    public mutating func take(_ reading: FolderReading<File>) -> FolderChanges {
        let (before, isFirst) = (inForce, !wasRead)
        self = taking(reading)
        return FolderChanges(
            from: before.map { ($0.name, $0) }, to: inForce.map { ($0.name, $0) }, isFirst: isFirst)
    }

    /// What there would be afterwards. A reading that began before the last one that was taken is out of date and changes nothing.
    public func taking(_ reading: FolderReading<File>) -> FolderOfFiles {
        guard reading.began >= began else { return self }
        var next = self
        (next.began, next.wasRead, next.mistakesOfFolder) = (reading.began, true, reading.mistakes)
        guard let read = reading.read else { return next }
        let kept = Dictionary(inForce.map { ($0.name, $0) }) { first, _ in first }
        next.files = File.checked(read, kept: kept)
        next.inForce = next.files.compactMap { $0.content ?? kept[$0.name] }
        next.isKnown = true
        return next
    }
}
