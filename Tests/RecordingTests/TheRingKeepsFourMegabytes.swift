import Foundation
import Glibc
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Testing

@testable import Recordings

@Suite final class TheRing {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ring-\(UUID().uuidString)").path
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var size: Int {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.reduce(0) { sum, file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    /// However much comes and however often the daemon starts anew; and the newest is there.
    @Test func keepsTheLastFourMegabytes() throws {
        let ring = Ring(folder: folder, device: "/dev/serial/by-id/usb-RAK")
        for run in 0..<6 {
            let recorder = FlightRecorder(ring, group: nil)
            for _ in 0..<500 {
                recorder.add(.received([UInt8](repeating: 7, count: 200)), at: MonotonicClock.nanoseconds())
            }
            recorder.stop()
            for _ in 0..<6 {
                let more = FlightRecorder(ring, group: nil)
                for _ in 0..<500 {
                    more.add(.received([UInt8](repeating: 7, count: 200)), at: MonotonicClock.nanoseconds())
                }
                more.add(.event("run \(run)"), at: MonotonicClock.nanoseconds())
                more.stop()
            }
            #expect(size <= Ring.size)
        }
        #expect(size > Ring.size / 2)
        #expect(try ring.entries(since: 0).last?.kind == .event("run 5"))
        #expect(try Ring.all(in: folder).map(\.name) == [ring.name])
    }

    /// While a radio is silent there are heartbeats and their answers: nothing is written for these. They are there, in their
    /// order, when there is something else.
    @Test func isLeftAloneByASilentRadio() throws {
        let ring = Ring(folder: folder, device: "auto")
        let recorder = FlightRecorder(ring, group: nil)
        let beat = StreamFrame.encode(ToRadio.heartbeat(nonce: 0).encoded())
        let status = { (id: PacketID) in
            StreamFrame.encode(
                FromRadio.queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: id)).encoded())
        }
        for _ in 0..<20 {
            recorder.add(.sent(beat), at: MonotonicClock.nanoseconds())
            recorder.add(.received(status(0)), at: MonotonicClock.nanoseconds())
            // Far more than its thread needs.
            usleep(20_000)
            #expect(size == 0)
        }
        recorder.add(.received(status(7)), at: MonotonicClock.nanoseconds())
        recorder.stop()
        let kinds = try ring.entries(since: 0).map(\.kind)
        #expect(kinds.count { $0 == .sent(beat) } == 20 && kinds.count { $0 == .received(status(0)) } == 20)
        #expect(kinds.last == .received(status(7)))
    }

    /// A killed daemon has written half a line, and the disk may be full: neither ends a daemon or spoils what is there.
    @Test func survivesWhatIsCut() throws {
        let ring = Ring(folder: folder, device: "auto")
        let recorder = FlightRecorder(ring, group: nil)
        recorder.add(.event("whole"), at: MonotonicClock.nanoseconds())
        recorder.stop()
        let path = ring.path(of: try #require(try ring.segments().last))
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(#"{"t": 1.0, "dir": "rx", "he"#.utf8))
        try file.close()
        #expect(try ring.entries(since: 0).map(\.kind) == [.event("whole")])

        let blocked = Ring(folder: path, device: "auto")
        let without = FlightRecorder(blocked, group: nil)
        without.add(.event("nowhere"), at: MonotonicClock.nanoseconds())
        without.stop()
    }

    /// A capture that begins in the middle begins with the last handshake.
    @Test func beginsWithTheHandshakeBefore() throws {
        let ring = Ring(folder: folder, device: "auto")
        let recorder = FlightRecorder(ring, group: nil)
        let handshake = StreamFrame.encode(FromRadio.configComplete(7).encoded())
        recorder.begin(after: handshake, at: MonotonicClock.nanoseconds())
        recorder.stop()
        let later = WallClock.milliseconds() + 5
        let entries = try ring.handshake(before: later).map(\.kind)
        let request = StreamFrame.encode(ToRadio.wantConfig(1).encoded())
        let end = StreamFrame.encode(FromRadio.configComplete(1).encoded())
        #expect(entries == [.opened("auto"), .sent(request), .received(handshake + end)])
        #expect(try ring.handshake(before: later - 3_600_000).isEmpty)
    }
}
