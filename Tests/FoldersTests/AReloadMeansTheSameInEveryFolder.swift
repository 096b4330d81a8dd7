import Folders
import Foundation
import Testing

/// Rules, targets and brokers are files of a folder, and a reload means the same for each of them.
@Suite struct AReloadMeansTheSameInEveryFolder {
    private static let nonsense = "nonsense = 1\n"

    /// A room that has read one good file of version 1.
    private func begin(_ room: FolderRoom) throws -> RoomAtWork {
        let work = try RoomAtWork(room)
        try work.write("hut.conf", room.text("hut", 1))
        #expect(work.reload().isEmpty, "the first reading changes nothing")
        #expect(work.inForce() == ["hut": 1] && work.mistakes().isEmpty, "\(work.mistakes())")
        return work
    }

    @Test(arguments: FolderRoom.allCases) func aNewOneComesIntoForce(room: FolderRoom) throws {
        let work = try begin(room)
        defer { work.stop() }
        try work.write("attic.conf", room.text("attic", 2))
        #expect("\(work.reload())" == "new: attic")
        #expect(work.inForce() == ["attic": 2, "hut": 1])
        #expect(work.reload().isEmpty)
    }

    @Test(arguments: FolderRoom.allCases) func aChangedOneIsAsItIsNow(room: FolderRoom) throws {
        let work = try begin(room)
        defer { work.stop() }
        try work.write("hut.conf", room.text("hut", 2))
        #expect("\(work.reload())" == "changed: hut")
        #expect(work.inForce() == ["hut": 2])
    }

    /// A mistake is named with file and line, in the log, too, and the last good version stays.
    @Test(arguments: FolderRoom.allCases) func aBrokenOneStaysAsItWas(room: FolderRoom) throws {
        let work = try begin(room)
        defer { work.stop() }
        try work.write("hut.conf", room.text("hut", 2) + Self.nonsense)
        #expect(work.reload().isEmpty)
        #expect(work.inForce() == ["hut": 1])
        let mistake = try #require(work.mistakes().first)
        #expect(mistake.file == "\(work.path)/hut.conf" && mistake.text.hasPrefix("unknown key"), "\(mistake)")
        #expect(work.log.withLock { $0 }.contains { $0.hasSuffix("-broken: \(mistake)") })
        // However often it is read.
        #expect(work.reload().isEmpty && work.inForce() == ["hut": 1])
        try work.write("hut.conf", room.text("hut", 3))
        #expect("\(work.reload())" == "changed: hut")
        #expect(work.inForce() == ["hut": 3] && work.mistakes().isEmpty)
    }

    @Test(arguments: FolderRoom.allCases) func aBrokenOneIsLeftOutAtAStart(room: FolderRoom) throws {
        let work = try RoomAtWork(room)
        defer { work.stop() }
        try work.write("hut.conf", Self.nonsense)
        try work.write("attic.conf", room.text("attic", 1))
        _ = work.reload()
        #expect(work.inForce() == ["attic": 1] && !work.mistakes().isEmpty)
        try work.write("hut.conf", room.text("hut", 1))
        #expect("\(work.reload())" == "new: hut")
        #expect(work.inForce() == ["attic": 1, "hut": 1] && work.mistakes().isEmpty)
    }

    @Test(arguments: FolderRoom.allCases) func oneThatIsGoneIsGone(room: FolderRoom) throws {
        let work = try begin(room)
        defer { work.stop() }
        // Also one that was broken last.
        try work.write("hut.conf", Self.nonsense)
        _ = work.reload()
        try work.remove("hut.conf")
        #expect("\(work.reload())" == "removed: hut")
        #expect(work.inForce().isEmpty && work.mistakes().isEmpty)
    }

    /// A link that leads to itself cannot be followed, by root either.
    @Test(arguments: FolderRoom.allCases) func aFolderThatCannotBeReadChangesNothing(room: FolderRoom) throws {
        let work = try begin(room)
        defer { work.stop() }
        let aside = work.path + "-aside"
        try FileManager.default.moveItem(atPath: work.path, toPath: aside)
        try FileManager.default.createSymbolicLink(atPath: work.path, withDestinationPath: work.path)
        #expect(work.reload().isEmpty)
        #expect(work.inForce() == ["hut": 1])
        let mistake = try #require(work.mistakes().first)
        #expect(mistake.file == work.path && mistake.text.hasPrefix("cannot be read: "), "\(mistake)")
        try FileManager.default.removeItem(atPath: work.path)
        // A folder that is not there has no files.
        #expect("\(work.reload())" == "removed: hut")
        try FileManager.default.moveItem(atPath: aside, toPath: work.path)
        #expect("\(work.reload())" == "new: hut")
        #expect(work.inForce() == ["hut": 1] && work.mistakes().isEmpty)
    }

    @Test(arguments: FolderRoom.allCases) func aFolderThatCannotBeReadAtAStartHasNone(room: FolderRoom) throws {
        let work = try RoomAtWork(room)
        defer { work.stop() }
        try FileManager.default.removeItem(atPath: work.path)
        try FileManager.default.createSymbolicLink(atPath: work.path, withDestinationPath: work.path)
        _ = work.reload()
        #expect(work.inForce().isEmpty && work.mistakes().count == 1)
    }

    /// The first ones by name count, and those that do not are named.
    @Test(arguments: FolderRoom.allCases) func soManyCount(room: FolderRoom) throws {
        let work = try RoomAtWork(room)
        defer { work.stop() }
        let names = (0...room.limit).map { "n\(10_000 + $0)" }
        for name in names { try work.write("\(name).conf", room.text(name, 1)) }
        _ = work.reload()
        #expect(Set(work.inForce().keys) == Set(names.dropLast()))
        let last = names[room.limit]
        #expect(
            work.mistakes().map(\.text) == [
                "\(last).conf does not count: there are more than \(room.limit) \(room.rawValue); take some away"
            ])
        try work.remove("\(names[0]).conf")
        #expect("\(work.reload())" == "new: \(last); removed: \(names[0])")
        #expect(work.mistakes().isEmpty)
    }

    /// Hidden files and an editor's copies do not count; a pipe is not waited for; a link is as good as its file, and one to nowhere
    /// is none.
    @Test(arguments: FolderRoom.allCases) func whatIsNoFileOfText(room: FolderRoom) throws {
        let work = try begin(room)
        defer { work.stop() }
        for name in [".hidden.conf", "copy.conf~", "copy.txt"] { try work.write(name, Self.nonsense) }
        let manager = FileManager.default
        try manager.createDirectory(atPath: work.path + "/folder.conf", withIntermediateDirectories: false)
        try manager.createSymbolicLink(atPath: work.path + "/nowhere.conf", withDestinationPath: "/nowhere")
        try room.text("linked", 2).write(toFile: work.path + "/elsewhere", atomically: true, encoding: .utf8)
        try manager.createSymbolicLink(atPath: work.path + "/linked.conf", withDestinationPath: "elsewhere")
        #expect(mkfifo(work.path + "/pipe.conf", 0o644) == 0)
        try Data([0xFF, 0x00, 0xFE, 0x0A]).write(to: URL(filePath: work.path + "/bytes.conf"))
        try work.write("long.conf", String(repeating: "# so long\n", count: 200_000))
        try work.write("Upper.conf", room.text("upper", 1))
        #expect("\(work.reload())" == "new: linked")
        #expect(work.inForce() == ["hut": 1, "linked": 2])
        let noun = room.rawValue.dropLast()
        let expected = [
            ("Upper", "a \(noun) is called after its file, in a-z, 0-9 and -"),
            ("bytes", "cannot be read: it is not UTF-8"),
            ("folder", "is no file; a \(noun) is one of text"), ("long", "cannot be read: it is longer than 1 MiB"),
            ("pipe", "is no file; a \(noun) is one of text"),
        ]
        let mistakes = work.mistakes()
        #expect(mistakes.map(\.file) == expected.map { "\(work.path)/\($0.0).conf" }, "\(mistakes)")
        for (mistake, words) in zip(mistakes, expected) { #expect(mistake.text.hasPrefix(words.1), "\(mistake)") }
    }

    /// A good file that became a pipe leaves its last good version in force, too.
    @Test(arguments: FolderRoom.allCases) func aPipeInTheFilesPlaceLeavesItInForce(room: FolderRoom) throws {
        let work = try begin(room)
        defer { work.stop() }
        try work.remove("hut.conf")
        #expect(mkfifo(work.path + "/hut.conf", 0o644) == 0)
        #expect(work.reload().isEmpty && work.inForce() == ["hut": 1])
        #expect(work.mistakes().count == 1)
    }
}
