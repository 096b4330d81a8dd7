// Numbers as JavaScript prints them: the shortest digits that read back as the same number, without exponents.
//
// 1. Finding the shortest digits costs hundreds of instructions, but nearly all numbers of a mesh are short: 4.05 V,
//    46.5197 degrees. Such a number is a whole one divided by a power of ten, which is quick to try.
// 2. When the whole one has at most 15 digits (of a Float: 6) and the quotient is the number, its digits are the
//    shortest: no two decimals of so few digits are the same Double (Float), so that a shorter one would be another.
// 3. Dividing two whole numbers that a Double holds rounds once, as reading the decimal does. A Float is rounded twice,
//    but a decimal of 6 digits with 4 places is never as near to the middle between two Floats as a Double's rounding
//    could move it, unless it is the middle.

extension JSONWriter {
    /// NaN and infinities: null.
    public mutating func value(_ number: Double?) {
        guard let number, number.isFinite else { return null() }
        let scaled = (number * 1e7).rounded()
        if scaled.magnitude < 1e15, scaled / 1e7 == number {
            fixed(Int64(scaled), places: 7)
        } else {
            separate()
            plainDecimal(number.description)
        }
    }

    /// A value that was 32 bits wide in the radio: the shortest digits that read back as the same Float, so that
    /// 4.05 V is not shown as 4.050000190734863.
    public mutating func float(_ number: Double?) {
        guard let number, number.isFinite else { return null() }
        let narrow = Float(number)
        guard Double(narrow) == number else { return value(number) }
        let scaled = (number * 1e4).rounded()
        if scaled.magnitude < 1e6, Float(scaled / 1e4) == narrow {
            fixed(Int64(scaled), places: 4)
        } else {
            separate()
            plainDecimal(narrow.description)
        }
    }

    @inlinable
    public mutating func value(_ number: (some BinaryInteger)?) {
        guard let number else { return null() }
        decimal(UInt64(truncatingIfNeeded: number.magnitude), isNegative: number < 0)
    }

    @usableFromInline
    mutating func decimal(_ magnitude: UInt64, isNegative: Bool) {
        separate()
        // 20 digits and a sign.
        buffer.append(upTo: 21) { to in
            // Overwritten by the first digit where there is none.
            to.pointee = UInt8(ascii: "-")
            let count = Self.digitCount(of: magnitude) + (isNegative ? 1 : 0)
            Self.writeDigits(of: magnitude, before: to + count)
            return count
        }
    }

    /// `number` / 10^`places`, of at most 15 digits, without zeros at its end.
    private mutating func fixed(_ number: Int64, places: Int) {
        var rest = number.magnitude
        var places = places
        while places > 0, rest % 10 == 0 {
            rest /= 10
            places -= 1
        }
        guard places > 0 else { return decimal(rest, isNegative: number < 0) }
        separate()
        buffer.append(upTo: 20) { to in
            var first = to + 20
            for _ in 0..<places {
                first -= 1
                first.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            first -= 1
            first.pointee = UInt8(ascii: ".")
            first = Self.writeDigits(of: rest, before: first)
            if number < 0 {
                first -= 1
                first.pointee = UInt8(ascii: "-")
            }
            return Self.moved(first, end: to + 20, to: to)
        }
    }

    /// With 0 in place of 1: it has a digit, too.
    private static let powersOfTen: [UInt64] = [
        0, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    /// Known from the number of bits but for one digit: 1,233 / 4,096 is log10(2), near enough for 64 bits.
    private static func digitCount(of number: UInt64) -> Int {
        let atLeast = ((64 - number.leadingZeroBitCount) * 1233) >> 12
        return number < powersOfTen[atLeast] ? atLeast : atLeast + 1
    }

    /// The digits of 0 to 99.
    private static let pairs: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """

    /// Two at a time, from the last to the first.
    ///
    /// - Returns: where the first digit stands.
    @discardableResult
    private static func writeDigits(
        of number: UInt64, before end: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var (rest, place) = (number, end)
        while rest >= 10 {
            place -= 2
            let pair = pairs.utf8Start + 2 * Int(rest % 100)
            (place[0], place[1]) = (pair[0], pair[1])
            rest /= 100
            if rest == 0 { return place }
        }
        place -= 1
        place.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest)
        return place
    }

    /// - Returns: how many bytes were moved.
    private static func moved(
        _ first: UnsafeMutablePointer<UInt8>, end: UnsafeMutablePointer<UInt8>, to: UnsafeMutablePointer<UInt8>
    ) -> Int {
        to.update(from: first, count: end - first)
        return end - first
    }

    // MARK: long ones

    /// Rewrites Swift's `1.5`, `4.0`, `1e-05`, `-1.25e+20` without exponent and without a fraction of zero.
    private mutating func plainDecimal(_ description: String) {
        guard let mark = description.utf8.firstIndex(of: UInt8(ascii: "e")) else {
            let isWhole = description.hasSuffix(".0")
            return buffer.append(contentsOf: description.utf8.dropLast(isWhole ? 2 : 0))
        }
        let exponent = Int(description[mark...].dropFirst()) ?? 0
        scientific(description.utf8[..<mark], exponent)
    }

    /// `1.25` and 3 are 1250; `1.25` and -3 are 0.00125.
    private mutating func scientific(_ mantissa: Substring.UTF8View, _ exponent: Int) {
        var mantissa = mantissa
        if mantissa.first == UInt8(ascii: "-") { buffer.append(mantissa.removeFirst()) }
        let digits = mantissa.filter { $0 != UInt8(ascii: ".") }
        // Behind the first digit stands Swift's point; JSON's stands here.
        let point = 1 + exponent
        let zeros = { (count: Int) in repeatElement(UInt8(ascii: "0"), count: max(count, 0)) }
        if point <= 0 {
            buffer.append(contentsOf: "0.".utf8)
            buffer.append(contentsOf: zeros(-point))
            buffer.append(contentsOf: digits)
        } else {
            buffer.append(contentsOf: digits.prefix(point))
            buffer.append(contentsOf: zeros(point - digits.count))
            guard digits.count > point else { return }
            buffer.append(UInt8(ascii: "."))
            buffer.append(contentsOf: digits.dropFirst(point))
        }
    }
}
