import Glibc
import HTTPServer
import Platform
import Synchronization
import Testing

private let request = "GET /live HTTP/1.1\r\nHost: x\r\n\r\n"

/// A live body that has nothing to say may name a time, as for a sign of life; and who takes nothing of one that has is cut
/// off.
@Suite struct ALiveBodyIsAskedAgainInTime {
    @Test(arguments: Transport.allCases) func withoutAnybodyWakingIt(over transport: Transport) throws {
        let count = Mutex(0)
        let server = try TestServer(over: transport) { _ in
            let isDue = Mutex(false)
            return Response(
                body: .live(
                    LiveBody { _ in
                        let due = isDue.withLock { due in
                            defer { due.toggle() }
                            return due
                        }
                        guard due else { return .pause(until: MonotonicClock.nanoseconds() + 50_000_000) }
                        let number = count.withLock { count in
                            count += 1
                            return count
                        }
                        return number > 5 ? .end : .bytes(Array("beat \(number)\n".utf8))
                    }))
        }
        let client = try server.client()
        try client.send(request)
        var seen = ""
        while !seen.contains("beat 5\n") { seen += String(decoding: try #require(client.readSome()), as: UTF8.self) }
    }

    @Test func theFirstOfItsTimesCounts() throws {
        let server = try TestServer { request in
            let isFirst = Mutex(true)
            return Response(
                body: .live(
                    LiveBody { _ in
                        let first = isFirst.withLock { first in
                            defer { first = false }
                            return first
                        }
                        guard first else { return .bytes(Array("now".utf8)) }
                        // The one in an hour is set last.
                        let delay: UInt64 = request.path == "/soon" ? 200_000_000 : 3_600_000_000_000
                        return .pause(until: MonotonicClock.nanoseconds() + delay)
                    }))
        }
        let soon = try server.client()
        try soon.send("GET /soon HTTP/1.1\r\nHost: x\r\n\r\n")
        let late = try server.client()
        try late.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        var seen = ""
        while !seen.contains("now") { seen += String(decoding: try #require(soon.readSome()), as: UTF8.self) }
    }

    @Test func whoTakesNothingIsCutOffAndNamed() throws {
        var limits = Limits()
        limits.idleSeconds = 1
        let stalled = Mutex<[Peer]>([])
        let server = try HTTPServer(
            listeners: [.tcp(host: "127.0.0.1", port: 0)], limits: limits,
            handler: { _ in
                Response(body: .live(LiveBody { _ in .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 16_384)) }))
            }, stalled: { peer in stalled.withLock { $0.append(peer) } })
        try server.start()
        defer { server.stop() }
        let port = UInt16(server.addresses[0].split(separator: ":").last!)!
        let client = try RawClient(host: "127.0.0.1", port: port, receiveBuffer: 4096)
        try client.send(request)
        #expect(eventually { server.connections == 1 })
        #expect(eventually { server.connections == 0 })
        #expect(stalled.withLock { $0 } == [.tcp(address: "127.0.0.1")])
    }

    /// Who pauses is not waited for, and who leaves is not named.
    @Test func nobodyElseIsNamed() throws {
        var limits = Limits()
        limits.idleSeconds = 1
        let stalled = Mutex(0)
        let server = try HTTPServer(
            listeners: [.tcp(host: "127.0.0.1", port: 0)], limits: limits,
            handler: { _ in
                let isFirst = Mutex(true)
                return Response(
                    body: .live(
                        LiveBody { _ in
                            isFirst.withLock { first in
                                defer { first = false }
                                return first ? .bytes(Array("start".utf8)) : .nothing
                            }
                        }))
            }, stalled: { _ in stalled.withLock { $0 += 1 } })
        try server.start()
        defer { server.stop() }
        let port = UInt16(server.addresses[0].split(separator: ":").last!)!
        var client: RawClient? = try RawClient(host: "127.0.0.1", port: port)
        try client?.send(request)
        _ = client?.readSome()
        usleep(2_200_000)
        #expect(server.connections == 1)
        client = nil
        #expect(eventually { server.connections == 0 })
        #expect(stalled.withLock { $0 } == 0)
    }

    /// Streams from the network leave those of this machine their places, and the other way round.
    @Test func thisMachineHasPlacesOfItsOwn() throws {
        let path = "/tmp/live-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        var limits = Limits()
        (limits.liveBodies, limits.localLiveBodies) = (2, 1)
        let server = try HTTPServer(
            listeners: [
                .tcp(host: "127.0.0.1", port: 0), .local(path: path, mode: 0o600, group: nil),
            ], limits: limits,
            handler: { _ in
                let isFirst = Mutex(true)
                return Response(
                    body: .live(
                        LiveBody { _ in
                            isFirst.withLock { first in
                                defer { first = false }
                                return first ? .bytes(Array("start".utf8)) : .nothing
                            }
                        }))
            })
        try server.start()
        defer { server.stop() }
        let port = UInt16(server.addresses[0].split(separator: ":").last!)!
        func status(_ client: RawClient) throws -> String {
            try client.send(request)
            return String(decoding: try #require(client.readSome()), as: UTF8.self)
        }
        let clients = try (0..<3).map { _ in try RawClient(host: "127.0.0.1", port: port) }
        let local = try (0..<2).map { _ in try RawClient(path: path) }
        #expect(try clients.map { try status($0).hasPrefix("HTTP/1.1 200") } == [true, true, false])
        #expect(try status(local[0]).hasPrefix("HTTP/1.1 200"))
        let refused = try status(local[1])
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("Retry-After: "))
    }
}
