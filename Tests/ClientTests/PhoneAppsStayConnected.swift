import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// Android's and Apple's app, scripted, on one shared radio.
@Suite struct PhoneAppsStayConnected {
    private func apps(_ port: UInt16) throws -> [AppScript] {
        try AppScript.Kind.allCases.map { kind in
            let app = try AppScript(kind, port: port)
            try app.connect()
            return app
        }
    }

    private func hear(_ text: String, _ mesh: SharedMesh, _ apps: [AppScript]) {
        mesh.radio.sendText(from: mesh.radio.nodes[0].number, text)
        for app in apps { app.waitForText(text) }
    }

    /// What Android asks after its handshake, and what it waits for each time: the queue status of its packet.
    @Test func whatTheyAskAfterwardsIsAnswered() throws {
        let mesh = try SharedMesh()
        for app in try apps(mesh.port) {
            let own = try #require(app.own)
            // set_time_only, get_owner_request, and telemetry of its own node.
            let questions: [(PortNumber, [UInt8])] = [
                (.admin, [0xD8, 0x02, 0x80, 0xAD, 0xE2, 0x98, 0x07]), (.admin, [0x18, 0x01]),
                (.telemetry, [0x12, 0x00]),
            ]
            for (place, question) in questions.enumerated() {
                let id = PacketID(1000 + place)
                let data = MeshData(port: question.0, payload: question.1, wantResponse: true)
                app.host.send(.packet(MeshPacket(from: own, to: own, id: id, payload: .decoded(data), wantAck: true)))
                #expect(app.host.wait { $0.status?.packetID == id ? true : nil } == true, "\(app.kind) \(place)")
                #expect(app.host.wait { $0.isAbout(id) ? true : nil } == true, "\(app.kind) \(place)")
            }
        }
        try mesh.gateway.program.stop()
    }

    @Test func aRebootAndAnUnplugPassThemBy() throws {
        let mesh = try SharedMesh()
        let apps = try apps(mesh.port)
        hear("before", mesh, apps)
        let links = { mesh.gateway.program.errors.text.components(separatedBy: "radio link live").count }
        for change in [{ mesh.radio.reboot() }, { mesh.radio.unplug() }] {
            let before = links()
            change()
            try? mesh.radio.replug()
            try mesh.gateway.eventually("the radio is back") { links() > before }
            hear("after \(before)", mesh, apps)
            for app in apps { #expect(app.host.ending == nil) }
        }
        try mesh.gateway.program.stop()
    }

    @Test func aNewChannelIsReadOnTheSameConnection() throws {
        let mesh = try SharedMesh()
        let apps = try apps(mesh.port)
        let link = "https://meshtastic.org/e/?add=true#CgoSAQEaBVBhdGgxEggIATgDQANIAQ"
        let add = try Program.run("channel", "add", link, "--yes", in: mesh.gateway.folders)
        #expect(add.code == 0, "\(add.output)\(add.errors)")
        for app in apps {
            try app.waitForRebooted()
            #expect(app.channels.values.contains("Path1"), "\(app.kind): \(app.channels)")
        }
        hear("afterwards", mesh, apps)
        for app in apps { #expect(app.host.ending == nil) }
        try mesh.gateway.program.stop()
    }

    /// Without systemd the port is bound again at once.
    @Test func aRestartOfTheGatewayIsSurvived() throws {
        let mesh = try SharedMesh()
        let apps = try apps(mesh.port)
        try mesh.gateway.program.stop()
        for app in apps { #expect(app.host.waitForEnd() == .closed, "no reset") }
        let again = try ServedGateway(
            device: "tcp:127.0.0.1:\(mesh.radio.listen(port: 0))", in: mesh.gateway.folders,
            ["--share", "127.0.0.1:\(mesh.port)"])
        #expect(try again.sharedPort() == mesh.port)
        for app in apps {
            try app.reconnect(port: mesh.port)
            try app.connect()
        }
        hear("afterwards", mesh, apps)
        try again.program.stop()
    }
}
