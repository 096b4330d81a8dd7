import Foundation
import JSON
import MeshModel
import Testing

@testable import RestAPI

@Suite struct TheDocumentIsForEverybody {
    static let paths = ["/api/v1/docs", "/api/v1/docs/openapi.json", "/api/v1/docs/openapi.yaml"]

    @Test(arguments: paths)
    func itNeedsNoTokenAndTellsNothingOfTheMesh(_ path: String) throws {
        let empty = try TestGateway()
        let full = try TestGateway()
        try full.insert([Channel(index: 0, role: .primary, name: "Hikers", psk: [9])])
        try full.update(TestGateway.peer) { $0.longName = "Ridge" }
        let answers = try [empty, full].map { try $0.ask("GET", path) }
        #expect(answers.map(\.status) == [200, 200])
        #expect(answers[0].body == answers[1].body)
        #expect(answers[0].header("X-Content-Type-Options") == "nosniff")
    }

    @Test(arguments: zip(paths, ["text/html", "application/json", "text/yaml"]))
    func itIsSentOnce(_ path: String, _ type: String) throws {
        let test = try TestGateway()
        let answer = try test.ask("GET", path)
        #expect(answer.header("Content-Type") == type + "; charset=utf-8")
        let tag = try #require(answer.header("ETag"))
        let again = try test.ask("GET", path, headers: [(name: "If-None-Match", value: tag)])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
    }

    @Test func itNamesTheVersionOfTheServer() throws {
        let document = try JSONTree(try TestGateway().get("/api/v1/docs/openapi.json").body)
        #expect(document["openapi"]?.text == "3.1.0")
        #expect(document["info"]?["version"]?.text == "1.2.3")
    }

    /// A YAML reader that is not ours finds the same in both.
    @Test func bothFormsSayTheSame() throws {
        let test = try TestGateway()
        let json = try test.ask("GET", "/api/v1/docs/openapi.json").body
        let yaml = try test.ask("GET", "/api/v1/docs/openapi.yaml").body
        #expect(try JSONTree(Self.jsonOfYAML(yaml)) == JSONTree(json))
    }

    @Test func yamlTakesNoTextForAnythingElse() throws {
        let texts = [
            "yes", "no", "null", "~", "1e3", "0x10", "2026-11-21", "# none", "a: b", "- a", "\"quoted\"", "'", "\\",
            "\n",
            "tab\tand\rreturn", "", " ", "👋 ü", "{a}", "[b]", "*c", "&d", "!e", "%f", "@g", "`h`", "| i", "> j", "? k",
            "=",
        ]
        let members = texts.map { OrderedValue.Member(key: $0, value: .text($0)) }
        let value: OrderedValue = [
            "keys": .object(members), "list": .list(texts.map { .text($0) }),
            "nested": [
                [[1, -2], []], ["a": [["b": [:]], []], "c": .null], .flag(true), .number(1.5), .object(members),
            ],
        ]
        var json = JSONWriter()
        json.ordered(value)
        #expect(try JSONTree(Self.jsonOfYAML(YAMLWriter(json: json.bytes).bytes)) == JSONTree(json.bytes))
        #expect(try JSONTree(Self.jsonOfYAML(YAMLWriter(json: Array("\"one text\"".utf8)).bytes)) == .text("one text"))
    }

    /// PyYAML's reading of a document.
    private static func jsonOfYAML(_ yaml: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".yaml")
        try Data(yaml).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let python = Process()
        let output = Pipe()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script =
            "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1], encoding='utf-8')), sys.stdout)"
        python.arguments = [
            ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3", "-c", script, file.path,
        ]
        python.standardOutput = output
        try python.run()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        python.waitUntilExit()
        try #require(
            python.terminationStatus == 0,
            "set MESH_GATEWAY_TEST_PYTHON to a Python that has PyYAML, as deploy/test does")
        return Array(json)
    }
}
