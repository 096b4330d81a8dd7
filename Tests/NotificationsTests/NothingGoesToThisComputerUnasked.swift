import Foundation
import Platform
import Testing

@testable import Notifications
@testable import ServedProgram

@Suite struct NothingGoesToThisComputerUnasked {
    private static func outcome(_ host: String, _ port: UInt16) throws -> HTTPOutcome {
        Curl.unhurried.send(HTTPRequest(address: try WebAddress("http://\(host):\(port)/")))
    }

    /// Every form in which it can be written, and every name that it has.
    @Test(arguments: [
        "127.0.0.1", "127.8.9.10", "localhost", "LOCALHOST", "0.0.0.0", "0", "127.1", "2130706433", "0x7f000001",
        "0177.0.0.1",
        "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]", "[64:ff9b:1::7f00:1]", "[64:ff9b:1:abcd::7f00:1]", "[64:ff9b:1:7f00:0:100::]",
        "[64:ff9b:1:7f00:0:100:808:808]", "[64:ff9b:1::]", "[::ffff:0:127.0.0.1]", "[2001:0:808:808::80ff:fffe]",
    ])
    func aLoopbackAddress(host: String) throws {
        let server = try LoopbackServer(status: 200)
        #expect(try Self.outcome(host, server.port) == .failed(.refused(.thisHost, host: host.lowercased())))
        #expect(server.received.isEmpty)
    }

    /// By whatever translator: other machines are open.
    @Test(
        arguments: [
            [0, 0x64, 0xFF, 0x9B, 0, 1, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8],
            [0, 0x64, 0xFF, 0x9B, 0, 1, 0, 7, 0, 0, 0, 0, 8, 8, 8, 8],
            [0, 0x64, 0xFF, 0x9B, 0, 1, 203, 0, 0, 113, 9, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 8, 8, 8, 8],
            [0x20, 1, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, 0xF7, 0xF7, 0xF7, 0xF7],
            [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFE],
        ] as [[UInt8]])
    func anotherMachineBehindATranslator(bytes: [UInt8]) {
        #expect(NetworkAddress(ipv6: bytes).place { _ in false } == nil)
    }

    @Test func anAddressOfItsOwn() throws {
        if let host = hostAddress() {
            #expect(try Self.outcome(host, 8080) == .failed(.refused(.thisHost, host: host)))
        }
        // Also where the service may not ask which links there are.
        #expect(NetworkAddress(ipv4: [127, 0, 0, 1]).isOfThisHost)
        #expect(NetworkAddress(ipv6: [UInt8](repeating: 0, count: 15) + [1]).isOfThisHost)
        #expect(!NetworkAddress(ipv4: [192, 0, 2, 7]).isOfThisHost)
        #expect(NetworkAddress(ipv4: [192, 0, 2, 7]).place { $0.text == "192.0.2.7" } == .thisHost)
    }

    /// Where clouds keep the keys of their machines.
    @Test(arguments: [
        ("169.254.169.254", NetworkAddress.Place.linkLocal), ("[fe80::1]", .linkLocal), ("224.0.0.1", .nowhere),
        ("255.255.255.255", .nowhere), ("[ff02::1]", .nowhere),
    ])
    func whatIsNoMachineElsewhere(host: String, place: NetworkAddress.Place) throws {
        #expect(try Self.outcome(host, 80) == .failed(.refused(place, host: host)))
    }

    @Test(arguments: [[192, 168, 1, 7], [10, 0, 0, 1], [172, 16, 0, 1], [203, 0, 113, 9]] as [[UInt8]])
    func theHomeNetworkIsOpen(octets: [UInt8]) { #expect(NetworkAddress(ipv4: octets).place { _ in false } == nil) }

    /// curl connects to the address that was looked at, whatever the name means to it.
    @Test func theAddressThatWasCheckedIsTheOneThatIsAsked() throws {
        let server = try LoopbackServer(status: 200)
        let request = HTTPRequest(
            address: try WebAddress("http://nobody.invalid:\(server.port)/"), isLocalAllowed: true)
        let text = Curl.configuration(request, [NetworkAddress(ipv4: [127, 0, 0, 1])], seconds: 20)
        #expect(text.contains("resolve = \"*:\(server.port):127.0.0.1\""))
        #expect(Curl.unhurried.send(request) == .failed(.unknownHost("nobody.invalid")))
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/curl")
        program.arguments = ["-q", "--config", "-"]
        // As ours has it.
        program.environment = [:]
        program.standardInput = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        program.standardOutput = FileHandle.nullDevice
        try program.run()
        let bytes = Array(text.utf8)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        program.waitUntilExit()
        #expect(program.terminationStatus == 0)
        #expect(server.received.first?.headers["host"] == "nobody.invalid:\(server.port)")
    }
}
