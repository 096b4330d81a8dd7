import Foundation
import Platform
import Testing

@testable import Diagnostics

@Test func aHungCheckIsCutOffAndTheOthersAnswer() throws {
    let facts = try HealthyBox().facts
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    let checks = [
        Check("hung") { _ in
            gate.wait()
            return .ok("It came to an end.")
        },
        Check("quick") { _ in .ok("Here.") },
    ]
    let results = CheckRunner.run(checks, on: facts, patience: 5_000_000_000)
    #expect(results.map(\.name) == ["hung", "quick"])
    #expect(results[0].finding.status == .skipped)
    #expect(results[0].finding.message.contains("took longer than 5.0 s"))
    #expect(results[1].finding == .ok("Here."))
}

@Test func aProgramThatDoesNotEndIsEnded() {
    #expect(Subprocess.output(of: ["echo", "here"], patience: 60_000_000_000) == "here\n")
    #expect(Subprocess.output(of: ["/nonexistent/program"]) == nil)
    #expect(Subprocess.output(of: ["sleep", "600"], patience: 100_000_000) == nil)
}

@Test func ofSeveralRadiosTheWorstCounts() throws {
    let box = try HealthyBox()
    guard case .known(let radios) = box.facts.mesh else { return }
    var hill = radios[0]
    hill.device = "tcp:hill:4403"
    hill.region = 0
    box.facts.mesh = .known(radios + [hill])
    let finding = try box.finding("region")
    #expect(finding.status == .fault)
    #expect(finding.message.hasPrefix("tcp:hill:4403: "))
    #expect(!finding.message.contains("EU_868"))
}
