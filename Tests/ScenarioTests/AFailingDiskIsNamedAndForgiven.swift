import Foundation
import Testing

@testable import ServedProgram

/// Every n-th call on the database's files fails, by kind of call and error. The gateway serves on, accepts what it can
/// store and nothing else, says what is wrong, and goes on as before when the disk is well.
@Suite struct AFailingDiskIsNamedAndForgiven {
    @Test(.timeLimit(.minutes(20)), arguments: Program.isSanitized ? [EIO] : [EIO, ENOSPC, EROFS])
    func whateverFails(error: Int32) throws {
        let folders = try Folders()
        let disk = FaultyDisk(in: folders)
        var gateway = try ServedGateway(
            device: "simulated", in: folders,
            environment: try disk.environment.merging(["MESH_GATEWAY_RATE_LIMIT_MESSAGES": "unlimited"]) { $1 })
        try gateway.authorize()
        try gateway.waitUntilLive()
        var accepted = try [gateway.post(["text": "before", "channel": 0])["messageId"]]
        var failures = 0
        for n in isFullRun ? [1, 2, 3, 7, 50] : [1, 3, 7] {
            for calls in FaultyDisk.Call.ofWriters.map({ [$0] }) + [FaultyDisk.Call.ofWriters] {
                accepted += try texts(for: gateway, disk, calls, error, every: n)
            }
            // With each n something has failed: otherwise it proves nothing.
            #expect(disk.failures > failures)
            failures = disk.failures
        }
        gateway.program.signal(SIGKILL)
        _ = try gateway.program.exitCode()

        var restarted = try ServedGateway(
            device: "simulated", in: folders, environment: ["MESH_GATEWAY_DATABASE": disk.database])
        restarted.client.token = gateway.client.token
        for id in accepted { #expect(try restarted.message(id)["id"] == id) }
        try restarted.program.stop()
    }

    /// Sends texts while the disk fails, and one when it is well.
    ///
    /// - Returns: the ids of those that were accepted.
    private func texts(
        for gateway: ServedGateway, _ disk: FaultyDisk, _ calls: [FaultyDisk.Call], _ error: Int32, every n: Int
    ) throws -> [JSON] {
        let fault = "\(calls) \(error) \(n)"
        var accepted: [JSON] = []
        var isRefused = false
        try disk.fail(calls, with: error, every: n)
        // As many that the log is moved into the file meanwhile.
        for number in 0..<(n == 7 ? 60 : 5) {
            let answer = try gateway.client.post(
                "/api/v1/messages", ["text": .string("\(fault) \(number)"), "channel": 0])
            #expect([201, 500, 503].contains(answer.status), "\(fault): \(answer.text)")
            if answer.status == 201 { accepted.append(try answer.data["messageId"]) } else { isRefused = true }
            for path in ["/api/v1/messages?limit=5", "/api/v1/nodes", "/api/v1/status"] {
                #expect(try gateway.client.get(path).status == 200, "\(fault): \(path)")
            }
        }
        for id in accepted { #expect(try gateway.message(id)["id"] == id, "\(fault)") }
        if isRefused { try expectWord(of: error, fault, from: gateway, isLasting: n == 1, disk) }
        try disk.recover()

        // A person's text does not wait for the next try, and neither does anybody for the status.
        let text = try gateway.client.post("/api/v1/messages", ["text": .string("after \(fault)"), "channel": 0])
        #expect(text.status == 201, "\(fault): \(text.text)")
        if text.status == 201 { accepted.append(try text.data["messageId"]) }
        #expect(try database(gateway)["failingSince"] == .null, "\(fault)")
        return accepted
    }

    /// The status names what is wrong, and does so as long as it is wrong, although nobody writes anything.
    private func expectWord(
        of error: Int32, _ fault: String, from gateway: ServedGateway, isLasting: Bool, _ disk: FaultyDisk
    ) throws {
        let words = [String(cString: strerror(error)), "disk is full"]
        if isLasting {
            let before = disk.failures
            try gateway.eventually("\(fault): another try") { disk.failures > before }
            #expect(try database(gateway)["failingSince"].string != nil, "\(fault)")
            let shown = try Program.run("status", in: gateway.folders)
            #expect(shown.output.contains("nothing can be stored since"), "\(fault): \(shown.output)")
        }
        let message = try #require(try database(gateway)["lastError"].string)
        #expect(words.contains { message.contains($0) }, "\(fault): \(message)")
    }

    private func database(_ gateway: ServedGateway) throws -> JSON {
        let shown = try Program.run("status", "--json", in: gateway.folders)
        return try JSONDecoder().decode(JSON.self, from: Data(shown.output.utf8))["database"]
    }
}
