import MeshModel
import Testing

@testable import Rules

/// A week in which the clocks are put back, with a node at the border of a circle whose position is blurred by 1.5 km. What
/// the rules tell was written down beforehand, by hand.
@Suite struct AWeekIsToldAsWritten {
    private static let rules = [
        "in": "when = enters circle 0,0 5 km", "out": "when = leaves circle 0,0 5 km",
        "morning": "when = at 7:00", "net": "when = at 30 2 * * *\nsay = The net begins",
        "rain": "when = message\nmatches = \\b\\d+ ?mm\\b", "week": "when = at 0 18 * * sun\nsay = A week is over",
    ]

    /// From the noon of a Wednesday on, local time is two hours ahead; from Sunday, 1:00 UTC on, one.
    private static let change = noon / 1_000 + 3 * 86_400 + 13 * 3_600

    /// The day and the minute of its noon, UTC, and what is told.
    private static let expected = [
        // Wednesday. Anna is inside from the second report on. Thursday's 2:30 is 0:30 UTC.
        "0 0:40 in Anna has entered 5 km around 0,0",
        "0 12:30 net The net begins", "0 17:00 morning 1 node heard, 0 texts",
        // It moves along the border, where nobody knows, until it is surely outside.
        "1 6:10 out Anna has left 5 km around 0,0",
        "1 12:30 net The net begins", "1 17:00 morning 1 node heard, 0 texts",
        "2 8:00 rain Anna on LongFast",
        "2 12:30 net The net begins", "2 17:00 morning 0 nodes heard, 2 texts",
        // One report from inside, and then none for ten minutes.
        "3 2:10 in Anna has entered 5 km around 0,0",
        // Sunday's 2:30 comes twice, at 0:30 and 1:30 UTC; 7:00 and 18:00 are an hour later.
        "3 12:30 net The net begins", "3 18:00 morning 1 node heard, 0 texts", "4 5:00 week A week is over",
        // Anna is silent, and has not left.
        "4 13:30 net The net begins", "4 18:00 morning 0 nodes heard, 0 texts",
        "5 13:30 net The net begins", "5 18:00 morning 0 nodes heard, 0 texts",
        "6 13:30 net The net begins", "6 18:00 morning 0 nodes heard, 0 texts",
    ]

    @Test func asWritten() throws {
        let mesh = FakeMesh()
        mesh.engine.zone = LocalZone { $0 < Self.change ? 7_200 : 3_600 }
        try mesh.use(Self.rules)
        try mesh.start()
        func at(_ day: Int64, _ hours: Int64, _ minutes: Int64, _ east: Double? = nil) throws {
            try mesh.pass(noon + (day * 24 + hours) * hour + minutes * minute - mesh.now.at)
            // 14 bits leave cells of 2.9 km.
            if let east { try mesh.locate(anna, 0, east, bits: 14) }
        }
        try at(0, 0, 30, 0.04)
        try at(0, 0, 35, 0.05)
        try at(0, 0, 36, 0.04)
        try at(0, 0, 40, 0.04)
        // Again and again from one side of the border to the other, never surely outside; and once, but not again.
        for step in 0..<20 as Range<Int64> { try at(1, 0, step * 15, step % 2 == 0 ? 0.05 : 0.044) }
        try at(1, 5, 30, 0.07)
        try at(1, 5, 35, 0.05)
        try at(1, 6, 0, 0.07)
        try at(1, 6, 10, 0.08)
        try at(2, 8, 0)
        try mesh.write("Today 12mm of rain", id: 1)
        try mesh.write("12 mmm", id: 2)
        try at(3, 2, 0, 0.03)
        try at(7, 0, 0)
        #expect(mesh.toldByDay == Self.expected)
    }
}

extension FakeMesh {
    fileprivate var toldByDay: [String] {
        firings.filter { $0.fate == .told }.map { firing in
            let minutes = (firing.row.createdAt - noon) / minute
            let (day, rest) = minutes.quotientAndRemainder(dividingBy: 24 * 60)
            let shown = rest % 60 < 10 ? "0\(rest % 60)" : "\(rest % 60)"
            return "\(day) \(rest / 60):\(shown) \(firing.row.rule ?? "") \(firing.row.title)"
        }
    }
}
