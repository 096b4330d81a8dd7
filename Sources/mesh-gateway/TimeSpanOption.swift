import Platform

extension TimeSpan {
    /// - Parameter option: for the sentence when it is none.
    static func milliseconds(_ text: String, of option: String) throws -> Int64 {
        guard let span = milliseconds(text) else {
            throw failure("\(option) takes a time such as \(forms), not \"\(text)\".", .usage)
        }
        return span
    }
}
