import Foundation
import Testing

@testable import RestAPI

@Suite struct ThePageNeedsNothingFromElsewhere {
    private func page() throws -> Answer { try TestGateway().ask("GET", "/api/v1/docs") }

    /// What stands between the tags; there must be one such element.
    private func inside(_ tag: String, of page: String) throws -> String {
        let parts = page.components(separatedBy: tag == "script" ? "<script type=\"module\">" : "<\(tag)>")
        try #require(parts.count == 2, "one <\(tag)>")
        return try #require(parts[1].components(separatedBy: "</\(tag)>").first)
    }

    @Test func itsPolicyLetsNothingElseIn() throws {
        let answer = try page()
        let policy = try #require(answer.header("Content-Security-Policy"))
        for rule in [
            "default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'", "script-src 'sha256-\(try Self.sha256(try inside("script", of: answer.text)))'",
            "style-src 'sha256-\(try Self.sha256(try inside("style", of: answer.text)))'",
        ] {
            #expect(policy.components(separatedBy: "; ").contains(rule), "\(rule) in \(policy)")
        }
        #expect(answer.header("Referrer-Policy") == "no-referrer")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
    }

    @Test func itNamesNoOtherServerAndMakesNoMarkupOfTexts() throws {
        let text = try page().text
        for forbidden in [
            "http:", "https:", "src=", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
            "new Function", "localStorage", "sessionStorage", "document.cookie", " onclick", " style=",
        ] {
            #expect(!text.contains(forbidden), "\(forbidden)")
        }
        #expect(text.utf8.count < 32 * 1024)
    }

    /// With the `sha256sum` of the system, which does not know our code.
    private static func sha256(_ text: String) throws -> String {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sha256sum"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data(text.utf8))
        try input.fileHandleForWriting.close()
        let hexadecimal = String(decoding: output.fileHandleForReading.readDataToEndOfFile().prefix(64), as: UTF8.self)
        process.waitUntilExit()
        let digits = Array(hexadecimal)
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        return Data(bytes).base64EncodedString()
    }
}
