import Testing

@testable import RestAPI

/// Arithmetic that overflows ends the process, so every number that a request may carry is tried at its ends.
@Suite struct NoNumberIsTooLarge {
    private static let ends = [
        "-9223372036854775808", "9223372036854775807", "-99999999999999999999", "99999999999999999999", "-1", "0",
        "100000000000", "-100000000000", "4294967296",
    ]

    private static func isNumber(_ parameter: JSONTree) -> Bool {
        guard let type = parameter["schema"]?["type"]?.text else { return false }
        return type == "integer" || type == "number"
    }

    @Test(arguments: ends)
    func inAQueryOrAPath(_ number: String) throws {
        let filled = try FilledGateway()
        let test = filled.test
        let paths = try #require(try SchemaCheck.served().document["paths"]).members
        for (path, operations) in paths {
            guard let operation = operations["get"], operation["x-canonical"] == nil else { continue }
            let parameters = operation["parameters"]?.elements ?? []
            let names = parameters.filter { $0["in"] == .text("query") && Self.isNumber($0) }
                .compactMap { $0["name"]?.text }
            let inPath = Set(
                parameters.filter { $0["in"] == .text("path") && Self.isNumber($0) }.compactMap { $0["name"]?.text })
            if names.isEmpty, inPath.isEmpty { continue }
            let target = path.split(separator: "/").map { segment -> String in
                guard segment.hasPrefix("{") else { return String(segment) }
                let name = String(segment.dropFirst().dropLast())
                if inPath.contains(name) { return number }
                return ["sourceId", "id"].contains(name) ? "default" : "!abcdef12"
            }
            .reduce("") { $0 + "/" + $1 }
            let always = "sourceId=default&q=hello"
            let queries = names.map { "\($0)=\(number)" }
            for query in queries + [queries.joined(separator: "&"), ""] {
                let answer = try test.get("\(target)?\(always)&\(query)")
                #expect(answer.status < 500, "\(target)?\(query): \(answer.text)")
            }
        }
    }

    @Test(arguments: ends + ["1e400", "-1e400", "0.5"])
    func inABody(_ number: String) throws {
        let filled = try FilledGateway()
        let document = try SchemaCheck.served().document
        for (path, operations) in try #require(document["paths"]).members {
            for (method, operation) in operations.members where operation["x-canonical"] == nil {
                guard let body = operation["requestBody"]?["content"]?["application/json"]?["schema"] else { continue }
                let target = path.replacing("{sourceId}", with: "default").replacing("{nodeId}", with: "!abcdef12")
                    .replacing("{nodeNum}", with: "2882400018").replacing("{id}", with: "1")
                for name in try #require(body["properties"]).members.keys {
                    let others = #""text":"hi","destination":"!abcdef12","sourceId":"default","isFavorite":true"#
                    let posted = "{\(name == "text" || name == "destination" ? "" : others + ",")\"\(name)\":\(number)}"
                    let token = try filled.test.token(["admin"])
                    let answer = try filled.test.ask(method.uppercased(), target, as: token, posted)
                    #expect(answer.status < 500, "\(method) \(target) \(posted): \(answer.text)")
                }
            }
        }
    }
}
