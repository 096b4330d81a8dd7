import FakeSerial
import Foundation
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Testing

/// How fast is printed, not asserted: 50 ms to notice an unplug and 250 ms from the node's return to our want_config is
/// what is to be reached.
@Suite struct HotPlugIsNoticedAtOnce {
    private enum Return: String, CaseIterable { case sameName, otherName, otherNameByStablePath, latePermission }

    private static let rounds = 10

    @Test func afterEachKindOfReturn() throws {
        for kind in Return.allCases {
            let device = FakeRadioDevice()
            let listener = Listener()
            let link = RadioLink(
                address: .path(kind == .otherNameByStablePath ? device.stablePath : device.path), delegate: listener)
            link.start()
            defer { link.stop() }
            try device.plug()
            try #require(awaitWantConfig(on: device.controller))
            var (noticed, asked): ([Double], [Double]) = ([], [])
            for _ in 1...Self.rounds {
                let absences = listener.states.count { $0.problem?.name == "device-absent" }
                var start = milliseconds()
                device.unplug()
                try #require(listener.wait { $0.states.count { $0.problem?.name == "device-absent" } > absences })
                noticed.append(milliseconds() - start)

                start = try bringBack(device, kind, listener)
                try #require(awaitWantConfig(on: device.controller))
                asked.append(milliseconds() - start)
            }
            print("ms from unplug to its notice, \(kind.rawValue):", summary(noticed))
            print("ms from return to want_config, \(kind.rawValue):", summary(asked))
            #expect(link.statistics.connections == UInt64(Self.rounds + 1))
        }
    }

    /// - Returns: when the device began to be usable.
    private func bringBack(_ device: FakeRadioDevice, _ kind: Return, _ listener: Listener) throws -> Double {
        guard kind == .latePermission else {
            let start = milliseconds()
            try device.plug(as: kind == .sameName ? nil : FakeRadioDevice.uniqueName())
            return start
        }
        try device.setPermitted(false)
        try device.plug()
        // Refused once; it is too early to complain.
        try #require(
            listener.wait { $0.states.last == .opening || $0.states.last?.problem?.name == "permission-denied" })
        let start = milliseconds()
        try device.setPermitted(true)
        return start
    }

    private func summary(_ times: [Double]) -> String {
        let sorted = times.sorted()
        return "median \(Int(sorted[sorted.count / 2].rounded(.up))), worst \(Int(sorted.last!.rounded(.up)))"
    }

    private func milliseconds() -> Double { Double(MonotonicClock.nanoseconds()) / 1e6 }

    /// Reads what the host writes, for a minute and a half at most.
    private func awaitWantConfig(on controller: Int32) -> Bool {
        var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
        var buffer = [UInt8](repeating: 0, count: 1024)
        let end = MonotonicClock.nanoseconds() + 90_000_000_000
        var isThere = false
        while !isThere, MonotonicClock.nanoseconds() < end {
            var poller = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
            poll(&poller, 1, 1000)
            let count = Int32(poller.revents) & POLLIN != 0 ? read(controller, &buffer, buffer.count) : 0
            // No host has the terminal open, which poll reports at once and for ever.
            if count <= 0 { usleep(500) }
            buffer.withUnsafeBytes { bytes in
                decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[..<max(0, count)]), now: 0) { output in
                    if case .frame(.wantConfig, _) = output { isThere = true }
                }
            }
        }
        return isThere
    }
}
