import Foundation
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// What the API answers about a seeded mesh, compared with what a person has read: Golden.txt, an answer after the other,
/// each under its name. `deploy/golden` writes it.
@Test func everyAnswerIsItsGolden() throws {
    let mesh = try SeededMesh.toldWithinThreeMinutes()
    let answers = try GoldenRequest.all.map { (name: $0.name, golden: try ask($0, mesh)) }
    if ProcessInfo.processInfo.environment["MESH_GATEWAY_UPDATE_GOLDEN"] != nil {
        let text = answers.sorted { $0.name < $1.name }.map { "== \($0.name)\n\($0.golden.text)" }.joined()
        return try text.write(to: Golden.file, atomically: false, encoding: .utf8)
    }
    var known = try Golden.known()
    for (name, golden) in answers {
        guard let expected = known.removeValue(forKey: name) else {
            Issue.record("Golden.txt has no \(name)")
            continue
        }
        if let difference = golden.difference(to: expected) { Issue.record("\(name): \(difference)") }
    }
    for name in known.keys { Issue.record("nobody asks for \(name)") }
}

private func ask(_ request: GoldenRequest, _ mesh: SeededMesh) throws -> Golden {
    let client =
        switch request.asker {
        case .owner: mesh.mesh.client
        case .reader: mesh.reader
        case .keeper: mesh.keeper
        case .stranger: mesh.mesh.client(token: nil)
        }
    let body = try request.body.map { try JSONEncoder().encode($0(mesh)) }
    let headers = body == nil ? [] : ["Content-Type: application/json"]
    let answer = try client.request(request.method, request.path(mesh), headers, body: body)
    #expect(answer.status == request.status, "\(request.name): \(answer.text.prefix(300))")
    let names = Golden.Names(
        source: mesh.source, own: mesh.own, version: mesh.version, drawnIDs: try mesh.drawnIDs())
    guard answer.headers["content-type"]?.hasPrefix("application/json") == true else {
        return Golden(lines: answer.text, names)
    }
    return Golden(try answer.strict, names)
}
