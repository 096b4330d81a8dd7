import Foundation
import Testing

@testable import ServedProgram

/// What the API answers about a seeded mesh, compared with files that a person has read. `deploy/golden` writes them
/// anew.
@Test func everyAnswerIsItsGolden() throws {
    let mesh = try SeededMesh()
    let isWriting = ProcessInfo.processInfo.environment["MESH_GATEWAY_UPDATE_GOLDEN"] != nil
    var files: Set<String> = []
    for request in GoldenRequest.all {
        let (file, golden) = try ask(request, mesh)
        files.insert(file.lastPathComponent)
        if isWriting {
            try golden.text.write(to: file, atomically: false, encoding: .utf8)
        } else if let expected = try? String(contentsOf: file, encoding: .utf8) {
            if let difference = golden.difference(to: expected) {
                Issue.record("\(file.lastPathComponent): \(difference)")
            }
        } else {
            Issue.record("there is no \(file.lastPathComponent)")
        }
    }
    let kept = try FileManager.default.contentsOfDirectory(atPath: Golden.folder.path)
    for file in Set(kept).subtracting(files) {
        if isWriting {
            try FileManager.default.removeItem(at: Golden.folder.appending(path: file))
        } else {
            Issue.record("nobody asks for \(file)")
        }
    }
}

private func ask(_ request: GoldenRequest, _ mesh: SeededMesh) throws -> (file: URL, golden: Golden) {
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
    let file = Golden.folder.appending(path: request.name)
    guard answer.headers["content-type"]?.hasPrefix("application/json") == true else {
        return (file.appendingPathExtension("txt"), Golden(lines: answer.text, names))
    }
    return (file.appendingPathExtension("json"), Golden(try answer.strict, names))
}
