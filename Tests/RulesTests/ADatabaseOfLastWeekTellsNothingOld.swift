import MeshModel
import Store
import Testing

@testable import Rules

/// A database that was restored from last week's backup: nothing is told a second time, and nobody was silent for that week.
@Test func aDatabaseOfLastWeekTellsNothingOld() throws {
    let mesh = try StoredMesh([
        "battery": "when = battery below 20 %\nresolved = yes", "direct": "when = direct message",
        "silent": "when = node silent for 6h",
    ])
    try mesh.measure(bob, battery: 10)
    try mesh.write("before", id: 1)
    try mesh.work()
    let before = ["battery: begins: Bob: battery 10 %", "direct: Direct message from Anna"]
    #expect(mesh.told == before)
    // The rules had not seen the last one when the backup was made.
    try mesh.write("last", id: 2)
    let copy = try mesh.backup()
    for day in 1...7 as ClosedRange<Int64> {
        for _ in 0..<8 {
            try mesh.pass(3 * hour)
            try mesh.hear(anna)
            try mesh.measure(bob, battery: day == 3 ? 90 : 10)
        }
    }
    try mesh.restore(copy)
    #expect(mesh.told == before, "what is a week old is not told")
    #expect(try mesh.logged("direct").map(\.fate) == [.old, .told])
    try mesh.write("after", id: 3)
    try mesh.work()
    try mesh.pass(5 * hour)
    #expect(mesh.told == before + ["direct: Direct message from Anna"])
    // The episode of last week is over when the battery is full.
    try mesh.measure(bob, battery: 90)
    try mesh.work()
    #expect(mesh.told.last == "battery: ends: Bob: battery 90 % again")
}
