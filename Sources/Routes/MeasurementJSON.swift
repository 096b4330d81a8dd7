import JSON

extension JSONWriter {
    /// A whole number with all its digits: beyond 2^24, those of a Float would not be all.
    public mutating func measurement(_ number: Double) {
        if let whole = Int64(exactly: number) { value(whole) } else { float(number) }
    }
}
