import Glibc
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

@Suite struct SeveralRadiosAreServedAtOnce {
    private func radio(seed: UInt64) throws -> RadioHere { try RadioHere { $0.seed = seed } }

    private func serve(_ ports: [UInt16], in folders: Folders) throws -> ServedGateway {
        let devices = ports.map { "tcp:127.0.0.1:\($0)" }
        return try ServedGateway(device: devices[0], in: folders, ["--device", devices[1]])
    }

    private func waitUntilLive(_ ports: [UInt16], _ gateway: ServedGateway) throws {
        for port in ports {
            _ = try gateway.program.errors.line(containing: "tcp:127.0.0.1:\(port): radio link live")
        }
    }

    /// The id of a radio's source, once it is known whose it is.
    private func source(of here: RadioHere, _ gateway: ServedGateway) throws -> String {
        try gateway.eventually("\(here.radio.number) has a source") {
            try gateway.client.get("/api/v1/sources").data.rows.compactMap(\.["id"].string).first {
                try status($0, gateway)["localNodeNum"] == .integer(Int(here.radio.number.rawValue))
            }
        }
    }

    private func status(_ source: String, _ gateway: ServedGateway) throws -> JSON {
        try gateway.client.get("/api/v1/sources/\(source)/status").data
    }

    private func texts(_ source: String, _ gateway: ServedGateway) throws -> [JSON] {
        try gateway.client.get("/api/v1/sources/\(source)/messages").data.rows.map { $0["text"] }
    }

    private func post(_ text: JSON, to source: String, _ gateway: ServedGateway) throws -> Int {
        try gateway.client.post("/api/v1/sources/\(source)/messages", ["text": text, "channel": 0]).status
    }

    private func hear(_ text: String, at here: RadioHere, _ source: String, _ gateway: ServedGateway) throws {
        here.radio.sendText(from: here.radio.nodes[0].number, text)
        try gateway.eventually("\"\(text)\" is there") { try texts(source, gateway).contains(.string(text)) }
    }

    @Test func eachForItself() throws {
        let (first, second) = (try radio(seed: 1), try radio(seed: 2))
        let ports = [try first.radio.listen(), try second.radio.listen()]
        var gateway = try serve(ports, in: Folders())
        for port in ports { #expect(gateway.program.output.text.contains("radio     127.0.0.1, port \(port)")) }
        try gateway.authorize()
        try waitUntilLive(ports, gateway)
        let (one, two) = (try source(of: first, gateway), try source(of: second, gateway))
        let listed = try gateway.client.get("/api/v1/sources").data.rows
        #expect(listed.map { $0["id"] } == [.string(one), .string(two)])
        #expect(listed.map { $0["name"] } == ["Default", "Radio 2"])
        #expect(listed.map { $0["isPrimary"] } == [true, false])
        #expect(try status("default", gateway) == status(one, gateway))

        try hear("to the first", at: first, one, gateway)
        try hear("to the second", at: second, two, gateway)
        #expect(try post("from the first", to: one, gateway) == 201)
        #expect(try post("from the second", to: two, gateway) == 201)
        try gateway.eventually("both are out") { !first.texts.isEmpty && !second.texts.isEmpty }
        #expect(first.texts == ["from the first"])
        #expect(second.texts == ["from the second"])
        #expect(try texts(one, gateway) == ["from the first", "to the first"])
        #expect(try texts(two, gateway) == ["from the second", "to the second"])
        let shown = try Program.run("status", in: gateway.folders)
        #expect(shown.code == 0)
        for (source, port) in zip([one, two], ports) {
            #expect(shown.output.contains(source) && shown.output.contains("tcp:127.0.0.1:\(port)"))
        }

        first.radio.unplug()
        try gateway.eventually("the gap is noticed") { try status(one, gateway)["connected"] == false }
        #expect(try status(two, gateway)["connected"] == true)
        #expect(try post("into the void", to: one, gateway) == 503)
        #expect(try post("still there", to: two, gateway) == 201)
        try gateway.eventually("it is out") { second.texts.last == "still there" }
        #expect(try Program.run("status", in: gateway.folders).code == 69)
        try first.radio.replug()
        try gateway.eventually("it comes back by itself") { try status(one, gateway)["link"]["state"] == "live" }
        try hear("to the first again", at: first, one, gateway)
        #expect(first.texts == ["from the first"])
        try gateway.program.stop()
    }

    /// The same seed is the same radio, to which two other ports lead after the restart.
    @Test func whereverTheyArePluggedIn() throws {
        let folders = try Folders()
        var radios = [try radio(seed: 1), try radio(seed: 2)]
        let ports = try radios.map { try $0.radio.listen() }
        var before = try serve(ports, in: folders)
        try before.authorize()
        try waitUntilLive(ports, before)
        let sources = try radios.map { try source(of: $0, before) }
        try hear("to the first", at: radios[0], sources[0], before)
        try hear("to the second", at: radios[1], sources[1], before)
        try before.program.stop()

        for here in radios { here.radio.stop() }
        radios = [try radio(seed: 1), try radio(seed: 2)]
        try radios[0].radio.listen(port: ports[1])
        try radios[1].radio.listen(port: ports[0])
        var after = try serve(ports, in: folders)
        after.client.token = before.client.token
        try waitUntilLive(ports, after)
        #expect(try radios.map { try source(of: $0, after) } == sources)
        #expect(try after.client.get("/api/v1/sources").data.rows.map { $0["id"].string } == sources)
        #expect(try texts(sources[0], after) == ["to the first"])
        #expect(try post("from the second", to: sources[1], after) == 201)
        try after.eventually("it is out") { radios[1].texts == ["from the second"] }
        #expect(radios[0].texts.isEmpty)
        try after.program.stop()
    }

    @Test func aPortIsNamedOnce() throws {
        let folders = try Folders()
        let port = try folders.file("port", "")
        let link = "\(folders.root)/link"
        symlink(port, link)
        let program = try Program(["serve", "--device", port, "--device", link], in: folders)
        #expect(try program.exitCode() == 78)
        #expect(program.errors.text.contains("\(port) and \(link) are the same port"))
    }

    @Test func simulatedOnesDifferByTheirSeeds() throws {
        var gateway = try ServedGateway(device: "simulated:seed=2", in: Folders(), ["--device", "simulated:seed=3"])
        try gateway.authorize()
        for seed in [2, 3] {
            _ = try gateway.program.errors.line(containing: "simulated:seed=\(seed),nodes=24: radio link live")
        }
        let sources = try gateway.client.get("/api/v1/sources").data.rows.compactMap { $0["id"].string }
        let numbers = try gateway.eventually("both are known") {
            let numbers = try sources.compactMap { try status($0, gateway)["localNodeNum"].integer }
            return numbers.count == 2 ? numbers : nil
        }
        #expect(Set(numbers).count == 2)
        try gateway.program.stop()
    }
}
