import Foundation
import MeshModel
import MeshProtocol
import Testing

@Suite struct DamagedFramesNeitherCrashNorLeak {
    static func mutate(_ frame: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var frame = frame
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...max(0, frame.count - 1), using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where !frame.isEmpty: frame[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where !frame.isEmpty: frame[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: frame.insert(UInt8.random(in: 0...255, using: &random), at: min(place, frame.count))
            case 3 where !frame.isEmpty: frame.remove(at: place)
            default: frame = Array(frame.prefix(place))
            }
        }
        return frame
    }

    /// Reads `count` damaged frames in every way there is; how many of them were still messages.
    static func read(_ count: Int, of frames: [[UInt8]], _ random: inout Seeded) -> Int {
        var messages = 0
        for _ in 0..<count {
            let frame = mutate(frames.randomElement(using: &random)!, &random)
            _ = Redaction.fromRadioFrame(frame)
            _ = Redaction.adminPayload(frame)
            _ = toRadio(frame)
            for port in [3, 4, 5, 6, 8, 34, 36, 65, 67, 70, 71] as [UInt32] {
                _ = PacketContent(MeshData(port: PortNumber(rawValue: port), payload: Array(frame.dropFirst(8))))
            }
            guard let message = fromRadio(frame) else { continue }
            messages += 1
            _ = message.encoded()
            if case .packet(let packet) = message, let data = packet.decoded { _ = PacketContent(data) }
        }
        return messages
    }

    static func frames() throws -> [[UInt8]] {
        Array(Set(try Recording.all.flatMap { try $0.listen().frames })).sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test func twentyThousandOfThem() throws {
        var random = Seeded(2026)
        let messages = Self.read(20_000, of: try Self.frames(), &random)
        // Both ways are walked.
        #expect(messages > 2000 && messages < 18_000)
    }

    /// In a process of its own, because memory is counted. (Sanitizers have an allocator of their own, and count leaks
    /// themselves.)
    @Test func memoryStaysWhereItIs() async {
        await #expect(processExitsWith: .success) {
            let frames = try Self.frames()
            var random = Seeded(1)
            _ = Self.read(5_000, of: frames, &random)
            let before = try Self.bytesInUse()
            _ = Self.read(10_000, of: frames, &random)
            let grown = try Self.bytesInUse() - before
            // The smallest message that could be forgotten is 40 bytes: one in a dozen frames would show.
            precondition(grown < 32_768, "grown by \(grown) bytes")
        }
    }

    /// What malloc has handed out and not got back, from glibc's malloc_info(3), which Swift does not import.
    static func bytesInUse() throws -> Int {
        typealias MallocInfo = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        let mallocInfo = unsafeBitCast(try #require(dlsym(nil, "malloc_info")), to: MallocInfo.self)
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        let stream = try #require(open_memstream(&text, &size))
        _ = mallocInfo(0, stream)
        fclose(stream)
        defer { free(text) }
        // The totals of all arenas come last.
        let lines = String(cString: try #require(text)).split(separator: "\n")
        func last(_ prefix: String) -> Int? {
            let line = lines.last { $0.hasPrefix(prefix) }
            return line.flatMap { Int($0.components(separatedBy: "size=\"")[1].prefix { $0 != "\"" }) }
        }
        let held = try #require(last("<system type=\"current\""))
        return try held - #require(last("<total type=\"fast\"")) - #require(last("<total type=\"rest\""))
    }

    /// More than a frame can hold is refused before protobuf-c sees it.
    @Test func tooLongIsNoMessage() {
        let long = bytes("32 81 04 0a fe 03") + Array(repeating: UInt8(ascii: "x"), count: 510)
        #expect(long.count == 516)
        #expect(fromRadio(long) == nil)
        #expect(
            PacketContent(MeshData(port: .nodeInfo, payload: bytes("52 fe 03") + Array(repeating: 0, count: 510)))
                == .undecodable)
    }

    /// Fields and enum numbers of the future.
    @Test func theUnknownIsKeptOrSkipped() {
        #expect(fromRadio(bytes("a2 06 03 61 62 63 38 05")) == .configComplete(5))
        #expect(fromRadio(bytes("a2 06 03 61 62 63")) == .empty)
        #expect(
            fromRadio(bytes("12 05 58 8f 4e a8 01 63".replacing("12 05", with: "12 06")))
                == .packet(
                    MeshPacket(
                        from: NodeNumber(0), to: NodeNumber(0), id: 0, payload: .none, priority: 9999,
                        transport: .init(rawValue: 99))))
        #expect(fromRadio(bytes("0a 01")) == nil)
        #expect(fromRadio(bytes("13 14")) == nil)
    }
}
