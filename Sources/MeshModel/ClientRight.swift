/// What a client of a shared radio may do, by the words of the setting `share`.
public enum ClientRight: String, Sendable, CaseIterable, Comparable {
    /// Everything is seen, and nothing sent.
    case read
    /// Messages, requests to nodes, and what people do every day.
    case send
    /// Also the settings of the radio, and far nodes.
    case admin

    public static func < (left: Self, right: Self) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
}
