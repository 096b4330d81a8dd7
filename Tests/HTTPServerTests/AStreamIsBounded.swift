import Glibc
import HTTPServer
import Synchronization
import Testing

/// Counts what a stream produced, and tells when it is released.
private final class Producer: Sendable {
    let chunks = Atomic<Int>(0)
    let isReleased: Released

    final class Released: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
        func set() { value.store(true, ordering: .sequentiallyConsistent) }
    }

    init(_ released: Released) { isReleased = released }
    deinit { isReleased.set() }

    func next(of total: Int) -> [UInt8]? {
        let number = chunks.add(1, ordering: .sequentiallyConsistent).oldValue
        return number < total ? [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 10_000) : nil
    }
}

@Suite(.serialized) struct AStreamIsBounded {
    @Test func fiveMegabytesReachASlowReaderWithoutBeingHeld() throws {
        let produced = Producer.Released()
        let producer = Mutex<Producer?>(Producer(produced))
        let server = try TestServer { _ in
            let taken = producer.withLock { $0.take() }
            return Response(body: .stream(length: nil) { taken?.next(of: 500) })
        }
        let client = try RawClient(host: "127.0.0.1", port: server.port, receiveBuffer: 4096)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        var text: [UInt8] = try #require(client.readSome(4096))
        // The reader rests: the sender is held up by the sockets' buffers, long before the end.
        #expect(!eventuallyWithin(50) { produced.isSet })
        while !text.suffix(5).elementsEqual("0\r\n\r\n".utf8) { text += try #require(client.readSome()) }
        let head = String(decoding: text.prefix(400), as: UTF8.self)
        #expect(head.contains("Transfer-Encoding: chunked"))
        let body = try #require(dechunked(text))
        #expect(body.count == 5_000_000)
        #expect(
            (0..<500).allSatisfy {
                body[$0 * 10_000] == UInt8(truncatingIfNeeded: $0)
                    && body[$0 * 10_000 + 9999] == UInt8(truncatingIfNeeded: $0)
            })
        #expect(eventually { produced.isSet })
    }

    /// Counted in bytes made and not yet read, because the memory of this process is that of all tests beside this one.
    @Test func aLargeStreamIsMadeAsItIsRead() throws {
        let blocks = Blocks()
        let server = try TestServer { _ in
            Response(body: .stream(length: 200_000_000) { blocks.next() })
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        var total = 0
        var ahead = 0
        while let bytes = client.readSome(1 << 20) {
            total += bytes.count
            ahead = max(ahead, blocks.bytes - total)
        }
        #expect(total > 200_000_000)
        // The rest is in the sockets' buffers.
        #expect(ahead < 20_000_000)
    }

    private final class Blocks: Sendable {
        private let made = Atomic<Int>(0)
        var bytes: Int { made.load(ordering: .sequentiallyConsistent) }
        func next() -> [UInt8] {
            made.add(100_000, ordering: .sequentiallyConsistent)
            return [UInt8](repeating: 7, count: 100_000)
        }
    }

    @Test func aClientThatLeavesReleasesItsStream() throws {
        let released = Producer.Released()
        let producer = Mutex<Producer?>(Producer(released))
        let server = try TestServer { _ in
            let taken = producer.withLock { $0.take() }
            return Response(body: .stream(length: nil) { taken?.next(of: 1_000_000_000) })
        }
        var client: RawClient? = try server.client()
        try client?.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try #require(client?.readSome())
        #expect(!released.isSet)
        client = nil
        #expect(eventually { released.isSet })
        #expect(server.becomesEmpty())
    }

    @Test func aStreamThatFailsIsNotTakenForAWholeOne() throws {
        struct Broken: Error {}
        let server = try TestServer { _ in
            let counter = Counter()
            return Response(
                body: .stream(length: nil) {
                    if counter.next() == 2 { throw Broken() }
                    return Array("part".utf8)
                })
        }
        let text = try server.conversation("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(text.contains("part"))
        #expect(!text.hasSuffix("0\r\n\r\n"))
    }

    @Test func headRunsNoStream() throws {
        let counter = Counter()
        let server = try TestServer { _ in
            Response(
                body: .stream(length: 4) {
                    _ = counter.next()
                    return Array("part".utf8)
                })
        }
        let client = try server.client()
        try client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(field("Content-Length", of: try client.readAnswer(hasBody: false).head) == "4")
        #expect(counter.next() == 0)
    }

    private final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        func next() -> Int { value.add(1, ordering: .sequentiallyConsistent).oldValue }
    }

    private func eventuallyWithin(_ milliseconds: Int, _ condition: () -> Bool) -> Bool {
        for _ in 0..<milliseconds where !condition() { usleep(1000) }
        return condition()
    }

    /// The body of a chunked answer.
    private func dechunked(_ text: [UInt8]) -> [UInt8]? {
        var rest = text[...]
        func line() -> String? {
            guard let end = rest.indices.first(where: { rest[$0...].starts(with: "\r\n".utf8) }) else { return nil }
            defer { rest = rest[(end + 2)...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }
        while let header = line(), !header.isEmpty {}
        var body: [UInt8] = []
        while let size = line().flatMap({ Int($0, radix: 16) }) {
            if size == 0 { return body }
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return nil
    }
}
