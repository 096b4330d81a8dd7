import CRecordingDisk
import Foundation

/// What a power cut can leave of the files of a database, built from a record of what was done to them
/// (Tests/CRecordingDisk).
///
/// The rules, as hostile as a disk and a file system may be that keep their word about `fsync`:
/// 1. What a file was when its last sync began is there.
/// 2. Of what was written to it since, or cut from it, any part may be there, whatever the order; of one write any of
///    the disk's sectors of 512 bytes. Bytes outside the write stay as they are (SQLite's "powersafe overwrite").
/// 3. Where nothing was written, below the end of the file, there are zeros.
/// 4. A name that came or went since the last sync of the folder may have done so on disk or not. Those of one file
///    keep their order.
/// 5. The file may have its new length before it has its bytes.
struct RecordedDisk {
    private enum Change {
        case write(offset: Int, UnsafeRawBufferPointer)
        case truncate(Int)
    }

    /// A file under any name, or none.
    private struct File {
        var synced: [UInt8] = []
        /// With its place in the record.
        var since: [(place: Int, change: Change)] = []
    }

    private var files: [File] = []
    /// The file of each name, as of the folder's last sync; and what became of each name since, nil for a deletion.
    private var syncedNames: [String: Int] = [:]
    private var namesSince: [String: [Int?]] = [:]
    private var names: [String: Int] = [:]
    /// How many records are taken into account.
    private(set) var position = 0

    /// - Parameter start: the files, by what follows the database's path in their names, that were on disk at the start
    ///   of the recording. An empty database file is made before SQLite is asked, and its name is not synced: it is taken
    ///   for one that came first.
    init(startingWith start: [String: [UInt8]]) {
        for (name, bytes) in start {
            syncedNames[name] = files.count
            files.append(File(synced: bytes))
        }
        names = syncedNames
        if names[""] == nil { create("") }
    }

    private mutating func create(_ name: String) {
        names[name] = files.count
        namesSince[name, default: []].append(files.count)
        files.append(File())
    }

    /// Takes the records before this one into account.
    mutating func advance(to end: Int) {
        while position < end {
            apply(recordingdisk_at(position))
            position += 1
        }
    }

    private mutating func apply(_ record: recordingdisk_record) {
        let name = String(cString: record.name)
        // A database that was deleted and is still written to would be a defect of its own.
        func file() -> Int { names[name]! }
        switch record.kind {
        case RECORDINGDISK_WRITE:
            let bytes = UnsafeRawBufferPointer(start: record.bytes, count: record.count)
            files[file()].since.append((position, .write(offset: record.offset, bytes)))
        case RECORDINGDISK_TRUNCATE:
            files[file()].since.append((position, .truncate(record.offset)))
        case RECORDINGDISK_SYNC:
            let index = file()
            let covered = files[index].since.prefix { $0.place < record.offset }
            files[index].since.removeFirst(covered.count)
            for (_, change) in covered { Self.make(change, in: &files[index].synced) }
        case RECORDINGDISK_CREATE:
            if names[name] == nil { create(name) }
        case RECORDINGDISK_DELETE:
            names[name] = nil
            namesSince[name, default: []].append(nil)
        default:
            syncedNames = names
            namesSince = [:]
        }
    }

    private static func make(_ change: Change, in file: inout [UInt8]) {
        switch change {
        case .truncate(let length):
            if length < file.count { file.removeLast(file.count - length) } else { extend(&file, to: length) }
        case .write(let offset, let bytes):
            extend(&file, to: offset + bytes.count)
            file.withUnsafeMutableBytes { $0.baseAddress!.advanced(by: offset).copyMemory(bytes) }
        }
    }

    private static func extend(_ file: inout [UInt8], to length: Int) {
        if length > file.count { file.append(contentsOf: repeatElement(0, count: length - file.count)) }
    }

    /// The files that one power cut after the last record leaves.
    func image(_ random: inout Seeded) -> [String: [UInt8]] {
        var present = syncedNames
        for (name, changes) in namesSince.sorted(by: { $0.key < $1.key }) {
            let survived = changes.prefix(Int.random(in: 0...changes.count, using: &random))
            if let last = survived.last { present[name] = last }
        }
        return present.sorted { $0.key < $1.key }.reduce(into: [:]) { image, entry in
            image[entry.key] = bytes(of: files[entry.value], &random)
        }
    }

    private func bytes(of file: File, _ random: inout Seeded) -> [UInt8] {
        var bytes = file.synced
        // From a disk that had written nothing yet to one that had only the end left to do.
        let kept = [0, 0.1, 0.5, 0.9, 1].randomElement(using: &random)!
        let torn = [0, 0.05, 0.5].randomElement(using: &random)!
        for (_, change) in file.since {
            if case .write(let offset, let all) = change, Double.random(in: 0..<1, using: &random) < torn {
                for sector in Self.sectors(of: all, at: offset) where Bool.random(using: &random) {
                    Self.make(sector, in: &bytes)
                }
                if Bool.random(using: &random) { Self.extend(&bytes, to: offset + all.count) }
            } else if Double.random(in: 0..<1, using: &random) < kept {
                Self.make(change, in: &bytes)
            }
        }
        return bytes
    }

    /// A write as the disk makes it: a sector at a time.
    private static func sectors(of bytes: UnsafeRawBufferPointer, at offset: Int) -> [Change] {
        var parts: [Change] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, ((offset + start) / 512 + 1) * 512 - offset)
            parts.append(.write(offset: offset + start, UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
            start = end
        }
        return parts
    }
}

extension UnsafeMutableRawPointer {
    fileprivate func copyMemory(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { copyMemory(from: base, byteCount: bytes.count) }
    }
}

/// A seeded generator (SplitMix64), so that a failure can be repeated.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
