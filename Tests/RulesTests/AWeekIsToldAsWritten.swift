import MeshModel
import Store
import Testing

@testable import Rules

/// A week in which the clocks are put back, with quiet nights and a node at the border of a circle whose position is blurred by
/// 2 km. What the feed has, and what the phone is told, was written down beforehand, by hand.
@Suite struct AWeekIsToldAsWritten {
    private static let quiet = "\ntell = phone\nquiet = 22:00-07:00"
    private static let rules = [
        "in": "when = enters circle 0,0 5 km" + quiet, "out": "when = leaves circle 0,0 5 km" + quiet,
        "morning": "when = at 7:00" + quiet, "net": "when = at 30 2 * * *\nsay = The net begins" + quiet,
        "rain": "when = message\nmatches = \\b\\d+ ?mm\\b" + quiet,
        "flood": "when = message\nmatches = ^flood\\b\npriority = high" + quiet,
        "week": "when = at 0 18 * * sun\nsay = A week is over",
    ]

    /// From the noon of a Wednesday on, local time is two hours ahead; from Sunday, 1:00 UTC on, one.
    private static let change = noon / 1_000 + 3 * 86_400 + 13 * 3_600

    /// The day and the minute of its noon, UTC, and what is told.
    private static let feed = [
        // Wednesday. Anna is inside from the second report on. Thursday's 2:30 is 0:30 UTC.
        "0 0:40 in Anna has entered 5 km around 0,0",
        "0 12:30 net The net begins", "0 17:00 morning 1 node heard, 0 texts",
        // It moves along the border, where nobody knows, until it is surely outside.
        "1 6:10 out Anna has left 5 km around 0,0",
        // In the night of Thursday.
        "1 10:30 rain Anna on channel 0", "1 10:40 flood Anna on channel 0",
        "1 12:30 net The net begins", "1 17:00 morning 1 node heard, 2 texts",
        "2 7:59 rain Anna on channel 0",
        "2 12:30 net The net begins", "2 17:00 morning 1 node heard, 2 texts",
        // One report from inside, and then none for ten minutes.
        "3 2:10 in Anna has entered 5 km around 0,0",
        // Saturday, 23:00.
        "3 9:00 rain Anna on channel 0", "3 9:01 rain Anna on channel 0",
        // Sunday's 2:30 comes twice, at 0:30 and 1:30 UTC; 7:00 and 18:00 are an hour later.
        "3 12:30 net The net begins", "3 18:00 morning 1 node heard, 2 texts", "4 5:00 week A week is over",
        // Anna is silent, and has not left.
        "4 13:30 net The net begins", "4 18:00 morning 0 nodes heard, 0 texts",
        "5 13:30 net The net begins", "5 18:00 morning 0 nodes heard, 0 texts",
        "6 13:30 net The net begins", "6 18:00 morning 0 nodes heard, 0 texts",
    ]

    private static let phone = [
        "0 0:40 Anna has entered 5 km around 0,0",
        // Thursday, 7:00.
        "0 17:00 The net begins", "0 17:00 1 node heard, 0 texts",
        "1 6:10 Anna has left 5 km around 0,0",
        // The flood does not wait for the morning.
        "1 10:40 Message from Anna on channel 0", "1 17:00 net 1, rain 1", "1 17:00 1 node heard, 2 texts",
        // A minute before the night.
        "2 7:59 Message from Anna on channel 0", "2 17:00 The net begins", "2 17:00 1 node heard, 2 texts",
        "3 2:10 Anna has entered 5 km around 0,0",
        // A night of ten hours.
        "3 18:00 rain 2, net 1", "3 18:00 1 node heard, 2 texts",
        "4 18:00 The net begins", "4 18:00 0 nodes heard, 0 texts",
        "5 18:00 The net begins", "5 18:00 0 nodes heard, 0 texts",
        "6 18:00 The net begins", "6 18:00 0 nodes heard, 0 texts",
    ]

    @Test func asWritten() throws {
        let mesh = try StoredMesh(
            Self.rules, targets: ["phone"], zone: LocalZone { $0 < Self.change ? 7_200 : 3_600 })
        var phone: [String] = []
        func at(_ day: Int64, _ hours: Int64, _ minutes: Int64, _ east: Double? = nil) throws {
            try mesh.live(until: noon + (day * 24 + hours) * hour + minutes * minute) {
                // What is told is sent at once.
                for dispatch in try mesh.waiting() {
                    phone.append("\(shown(mesh.now.at)) \(dispatch.words)")
                    try mesh.store.commit { try $0.removeDispatch(dispatch.id) }
                }
            }
            // 14 bits leave cells of 2.4 km.
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
        try at(1, 10, 30)
        try mesh.write("5 mm", id: 1, channel: 0)
        try at(1, 10, 40)
        try mesh.write("Flood at the bridge", id: 2, channel: 0)
        try at(2, 7, 59)
        try mesh.write("Today 12mm of rain", id: 3, channel: 0)
        try mesh.write("12 mmm", id: 4, channel: 0)
        try at(3, 2, 0, 0.03)
        try at(3, 9, 0)
        try mesh.write("20 mm", id: 5, channel: 0)
        try at(3, 9, 1)
        try mesh.write("21 mm", id: 6, channel: 0)
        try at(7, 0, 0)
        let feed = try mesh.feed().map { "\(shown($0.createdAt)) \($0.rule ?? "") \($0.title)" }
        #expect(feed == Self.feed)
        #expect(phone == Self.phone)
    }
}

/// The day and the minute of its noon.
private func shown(_ time: Int64) -> String {
    let (day, rest) = ((time - noon) / minute).quotientAndRemainder(dividingBy: 24 * 60)
    return "\(day) \(rest / 60):\(rest % 60 < 10 ? "0" : "")\(rest % 60)"
}

extension Dispatch {
    /// Its title, or what a summary counts.
    fileprivate var words: String {
        isSummary ? counts.map { "\($0.rule) \($0.count)" }.joined(separator: ", ") : row.title
    }
}
