import Platform
import Routes

extension LocalQuestion {
    /// When the query's `since` was, in host milliseconds; nil without one.
    func since() throws(APIError) -> Int64? {
        guard let text = request.queryValue("since") else { return nil }
        guard let span = TimeSpan.milliseconds(text) else {
            throw .badRequest("\"\(text)\" is no time; write it like \(TimeSpan.forms)")
        }
        return WallClock.milliseconds() - span
    }

    /// A number of the query; nil without one.
    func number(_ key: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = request.queryValue(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badRequest(
                "\"\(text)\" is no \(key); give a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
