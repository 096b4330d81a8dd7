import FakeSerial
import Foundation
import MeshModel
import RadioLink
import Testing

/// Mostly pulled as soon as the port is open, now and then from a session that lives: a thousand times when
/// MESH_GATEWAY_TEST_FULL is set, which takes a minute or two on a busy machine, else two hundred times.
///
/// In a process of its own, in which every descriptor and every thread is this link's.
@Test func manyReplugsLeakNothing() async {
    await #expect(processExitsWith: .success) {
        let device = FakeRadioDevice()
        let listener = CountingListener()
        let link = RadioLink(address: .path(device.stablePath), delegate: listener)
        link.start()
        defer { link.stop() }
        let replugs = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_FULL"] == nil ? 200 : 1000
        var before: Resources?
        for replug in 1...replugs {
            try device.plug()
            if replug % 20 == 0 {
                let radio = ScriptedRadio(on: device.controller)
                try #require(listener.wait { $0.live == replug / 20 }, "\(link.state)")
                radio.stop()
            } else {
                try #require(listener.wait { $0.configuring >= replug }, "\(link.state)")
            }
            device.unplug()
            try #require(listener.wait { $0.absent == replug }, "\(link.state)")
            if replug == 40 { before = Resources() }
        }
        precondition(link.statistics.connections == UInt64(replugs))
        let now = Resources()
        // In words of its own, because what an expectation says does not leave this process.
        // Sanitizers hold back what was freed: under them memory shows a large leak only.
        let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
        guard let before, now.descriptors <= before.descriptors, now.threads <= before.threads,
            now.kilobytes < before.kilobytes + (isSanitized ? 128_000 : 8_000)
        else { fatalError("before: \(String(describing: before)), now: \(now)") }
    }
}

/// Of this process.
private struct Resources {
    var descriptors = entries(of: "/proc/self/fd")
    var threads = entries(of: "/proc/self/task")
    var kilobytes: Int

    init() {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        kilobytes = fields.count > 1 ? (Int(fields[1]) ?? 0) * 4 : 0
    }

    private static func entries(of directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? .max
    }
}

/// Counts transitions and keeps nothing else: a leak that shows must not be the test's own.
/// Everything is behind the condition's lock.
private final class CountingListener: RadioLinkDelegate, @unchecked Sendable {
    struct Counts { var configuring = 0, live = 0, absent = 0 }

    private let condition = NSCondition()
    private var counts = Counts()

    func radioLink(_ event: RadioEvent) {
        guard case .state(let state) = event else { return }
        condition.withLock {
            switch state {
            case .configuring: counts.configuring += 1
            case .live: counts.live += 1
            case .searching(let problem) where problem?.name == "device-absent" && counts.configuring > 0:
                counts.absent += 1
            default: break
            }
            condition.broadcast()
        }
    }

    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer { .wait(until: nil) }
    func expire(at now: MonotonicTime) -> MonotonicTime? { nil }

    /// - Returns: false after half a minute without.
    func wait(_ isFulfilled: (Counts) -> Bool) -> Bool {
        let limit = Date().addingTimeInterval(90)
        return condition.withLock {
            while !isFulfilled(counts) {
                if !condition.wait(until: limit) { return isFulfilled(counts) }
            }
            return true
        }
    }
}
