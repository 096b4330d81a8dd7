import Foundation
import MeshModel
import Testing

@testable import ServedProgram

/// Emacs with its own HTTP client, cookie jar and JSON reader.
@Test func emacsItselfIsSatisfied() throws {
    let mesh = try Mesh()
    let hiker = mesh.cast(0)
    let question = mesh.radio.sendText(from: hiker, "Grüße 👋")
    try mesh.waitForRow(question)
    try mesh.waitForRow(mesh.radio.sendText(from: hiker, "👍", replyID: question, isReaction: true))

    let script = ((#filePath as NSString).deletingLastPathComponent) + "/emacs-session.el"
    let emacs = try Program(
        ["--batch", "-Q", "-l", script, "http://\(mesh.client.host):\(mesh.client.port)", hiker.id],
        in: mesh.gateway.folders,
        environment: ["MESH_GATEWAY_TOKEN": try #require(mesh.client.token), "LC_ALL": "C.UTF-8"], executable: "emacs")
    #expect(try emacs.exitCode() == 0, "\(emacs.errors.text)")
    #expect(
        emacs.output.text == """
            has a key: t
            is a favourite: :json-false
            was heard in whole seconds: t
            reactions: ("👍")
            texts: ("Grüße 👋")
            via MQTT: :json-false
            csrf: 200
            traceroute: 200
            position: 200
            without the cookie: nil

            """)
}
