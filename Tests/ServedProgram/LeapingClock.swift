import Foundation
import Testing

/// The wall clock of programs, which the test sets while they run (Tests/CStandingClock/leapingclock.c).
final class LeapingClock {
    private let path: String
    private let offset: UnsafeMutablePointer<Int64>

    /// - Parameter date: what it shows now.
    init(in folders: Folders, at date: Date) throws {
        path = "\(folders.root)/clock"
        #expect(FileManager.default.createFile(atPath: path, contents: Data(count: MemoryLayout<Int64>.size)))
        let file = open(path, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        let page = mmap(nil, MemoryLayout<Int64>.size, PROT_READ | PROT_WRITE, Int32(MAP_SHARED), file, 0)
        try #require(file >= 0 && page != MAP_FAILED)
        offset = page!.bindMemory(to: Int64.self, capacity: 1)
        set(to: date)
    }

    deinit { munmap(offset, MemoryLayout<Int64>.size) }

    func set(to date: Date) { offset.pointee = Int64(date.timeIntervalSinceNow.rounded()) }

    func leap(seconds: Int64) { offset.pointee += seconds }

    /// What it shows.
    var now: Date { Date(timeIntervalSinceNow: TimeInterval(offset.pointee)) }

    /// What makes a program go by it.
    var environment: [String: String] {
        get throws { ["LD_PRELOAD": try SharedObject.leapingClock.get(), "LEAPING_CLOCK": path] }
    }
}
