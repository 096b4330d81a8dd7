import Foundation
import MeshModel
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// The library that chatfeed and others read with, and models of its strict kind.
@Test func pydanticReadsThePages() throws {
    let mesh = try Mesh()
    let (hiker, hut) = (mesh.cast(0), mesh.cast(1))
    let old = mesh.radio.sendText(from: hiker, "Where is the spring?")
    for number in 1...5 { mesh.radio.sendText(from: hut, "Weather report \(number)") }
    try mesh.waitForRow(mesh.radio.sendText(from: hiker, "👍", replyID: old, isReaction: true))
    let sent = try mesh.client.post(
        "/api/v1/messages", ["text": "Behind the hut", "channel": 0, "replyId": .integer(Int(old))])
    #expect(sent.status == 201)
    let orphan = mesh.radio.sendText(from: hut, "To nobody", replyID: 7)
    try mesh.waitForRow(orphan)

    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let script = ((#filePath as NSString).deletingLastPathComponent) + "/read-with-pydantic.py"
    let program = try Program(
        [script, "http://\(mesh.client.host):\(mesh.client.port)"], in: mesh.gateway.folders,
        environment: ["MESH_GATEWAY_TOKEN": try #require(mesh.client.token), "PYTHONIOENCODING": "utf-8"],
        executable: python)
    let code = try program.exitCode()
    try #require(
        code == 0,
        """
        \(program.errors.text)
        (no module pydantic: set MESH_GATEWAY_TEST_PYTHON to a Python that has it, as deploy/test does)
        """)
    let (first, second) = (mesh.radio.nodes[0].longName, mesh.radio.nodes[1].longName)
    #expect(
        program.output.text == """
            \(mesh.radio.nodes.count + 1)
            \(second)\tTo nobody\tHTTP 404
            Simulated radio 📻\tBehind the hut\tWhere is the spring?
            \(first)\t👍\tWhere is the spring?
            \(second)\tWeather report 5\t-
            \(second)\tWeather report 4\t-

            """)
}
