import Foundation
import Testing

@testable import ServedProgram

/// Names by libnss-wrapper, which plays /etc/hosts to the daemon; curl has an environment of its own and does not see it.
@Suite struct ANameIsAskedForEachTime {
    private func hosts(_ address: String, _ folders: Folders) throws {
        // Beside and renamed: it is read while it changes.
        try "\(address) moving.example\n".write(
            toFile: "\(folders.root)/hosts", atomically: true, encoding: .utf8)
    }

    private func mesh(_ conf: String, _ folders: Folders) throws -> ToldByADaemon {
        try ToldByADaemon(
            ["phone.conf": conf], tell: "phone", in: folders,
            environment: [
                "LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_HOSTS": "\(folders.root)/hosts",
                // Without it the library opens libc with RTLD_DEEPBIND, and a sanitizer ends the program.
                "NSS_WRAPPER_DISABLE_DEEPBIND": "1",
            ])
    }

    /// One that means this computer is none by which its other services are reached.
    @Test func oneThatMeansThisComputerIsRefused() throws {
        let server = try LoopbackServer(status: 200)
        for (address, kind) in [
            ("127.0.0.1", "this computer"), ("::1", "this computer"), ("169.254.169.254", "link-local"),
        ] {
            let folders = try Folders()
            try hosts(address, folders)
            let mesh = try mesh("kind = ntfy\nurl = http://moving.example:\(server.port)/topic\n", folders)
            let (code, text) = try mesh.type("target", "test", "phone")
            #expect(code == 69 && text.contains(kind) && text.contains("allow-local = yes"), "\(address): \(text)")
            try mesh.gateway.program.stop()
        }
        #expect(server.received.isEmpty)
    }

    /// The address that was found is the one that is asked, and the next time it is found again: one that has come to mean this
    /// computer meanwhile is refused.
    @Test func theSecondTimeItMayMeanAnother() throws {
        let server = try LoopbackServer(status: 200)
        let folders = try Folders()
        let conf = "kind = ntfy\nurl = http://moving.example:\(server.port)/topic\n"
        try hosts("127.0.0.1", folders)
        let mesh = try mesh(conf + "allow-local = yes\n", folders)
        #expect(try mesh.type("target", "test", "phone").code == 0, "curl itself knows no such name")
        #expect(server.received.first?.headers["host"] == "moving.example:\(server.port)")
        // Nobody listens there.
        try hosts("127.0.0.2", folders)
        #expect(try mesh.type("target", "test", "phone").text.contains("refuses the connection"))
        try hosts("127.0.0.1", folders)
        #expect(try mesh.type("target", "test", "phone").code == 0)
        try mesh.target("phone.conf", conf)
        #expect(try mesh.type("target", "test", "phone").text.contains("is this computer"))
        #expect(server.received.count == 2)
        try mesh.gateway.program.stop()
    }

    @Test func oneThatNobodyKnowsIsSaid() throws {
        let folders = try Folders()
        try hosts("127.0.0.1", folders)
        let mesh = try mesh("kind = ntfy\nurl = http://other.example/topic\n", folders)
        #expect(try mesh.type("target", "test", "phone").text.contains("other.example has no address"))
        try mesh.gateway.program.stop()
    }
}
