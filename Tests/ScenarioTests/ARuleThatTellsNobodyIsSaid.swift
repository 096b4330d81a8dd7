import Foundation
import Testing

@testable import ServedProgram

/// A rule names a target that is not there, or one that only learns that the gateway is alive: nothing would be sent, so it is
/// refused where a command writes it, and said wherever problems are. The feed has what it notices.
@Test func aRuleThatTellsNobodyIsSaid() throws {
    let folders = try Folders()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": file]
    func type(_ line: String, input: String = "", exitCode: Int32? = 0) throws -> String {
        let command = try Program(
            line.split(separator: " ").map(String.init), in: folders, input: input, environment: environment)
        let code = try command.exitCode()
        #expect(exitCode == nil || code == exitCode, "\(line): \(code) \(command.errors.text)")
        return command.output.text + command.errors.text
    }
    var gateway = try ServedGateway(device: "simulated", in: folders, environment: environment)
    try gateway.authorize(scopes: ["read"])
    try gateway.waitUntilLive()

    // Before it writes anything.
    let rules = "\(folders.root)/rules.d"
    #expect(try type("rule add battery --tell phone", exitCode: 64).contains("sudo mesh-gateway target add phone ntfy"))
    _ = try type("target add box alive --url-file -", input: "https://example.org/x\n")
    #expect(try type("rule add battery --tell box", exitCode: 64).contains("only learns that the gateway is alive"))
    #expect(!FileManager.default.fileExists(atPath: rules))

    // By hand, with two that name the same one.
    try FileManager.default.createDirectory(atPath: rules, withIntermediateDirectories: true)
    for (name, tell) in [("hut", "phone"), ("attic", "phone"), ("cave", "box")] {
        try "when = battery below 20 %\ntell = \(tell)\n".write(
            toFile: "\(rules)/\(name).conf", atomically: true, encoding: .utf8)
    }
    let sentences = [
        "The rules attic, hut tell phone, and there is no such target: sudo mesh-gateway target add phone ntfy",
        "The rule cave tells box, which only learns that the gateway is alive",
    ]
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "rules: new: attic, cave, hut")
    let served = gateway
    try served.eventually("the rules are at work") {
        try served.client.get("/api/v1/rules").json["rules"].rows.allSatisfy { $0["inForce"] == true }
    }
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let (check, status) = (words(try type("config check")), words(try type("status")))
    let problems = try gateway.client.get("/api/v1/problems").text
    for sentence in sentences {
        #expect(check.contains("warning: \(sentence)"), "\(check)")
        #expect(status.contains(sentence), "\(status)")
        #expect(problems.contains(sentence), "\(problems)")
    }
    let doctor = words(try type("doctor", exitCode: nil))
    #expect(doctor.contains("tells box") && !doctor.contains("There are no targets"), "\(doctor)")

    // With the target it is over.
    _ = try type("target add phone ntfy --url-file - --allow-local", input: "http://127.0.0.1:9/topic\n")
    #expect(try !type("status").contains("no such target"))
    #expect(try type("rule add silent --tell phone").contains("Written"))
    try gateway.program.stop()
}
