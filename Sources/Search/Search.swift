/// Finding a few bytes or characters in others.
///
/// The compiler imports a library of regular expressions into every file, which has these functions too: 1.2 MB of the
/// executable for a few calls. Package.swift switches that import off.
extension Collection where Element: Equatable {
    /// The first occurrence of `part`; an empty one is found at the start.
    public func firstRange<Part: Collection>(of part: Part) -> Range<Index>? where Part.Element == Element {
        guard let first = part.first else { return startIndex..<startIndex }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            if let end = end(of: part, at: start) { return start..<end }
            rest = self[index(after: start)...]
        }
        return nil
    }

    /// Where `part` ends if it is at `start`.
    private func end<Part: Collection>(of part: Part, at start: Index) -> Index? where Part.Element == Element {
        var place = start
        for element in part {
            guard place < endIndex, self[place] == element else { return nil }
            formIndex(after: &place)
        }
        return place
    }

    public func contains<Part: Collection>(_ part: Part) -> Bool where Part.Element == Element {
        firstRange(of: part) != nil
    }
}

extension Array<UInt8> {
    /// The same for bytes: the function above does not know its types, and takes hundreds of instructions for each byte.
    public func firstRange(of part: [UInt8]) -> Range<Int>? {
        guard let first = part.first else { return 0..<0 }
        var place = 0
        while place + part.count <= count {
            let end = place + part.count
            if self[place] == first, self[place..<end].elementsEqual(part) { return place..<end }
            place += 1
        }
        return nil
    }
}

extension RangeReplaceableCollection where Element: Equatable {
    /// Replaces every occurrence of `part` from the start on; what was put in is not searched.
    public func replacing<Part: Collection, New: Collection>(_ part: Part, with new: New) -> Self
    where Part.Element == Element, New.Element == Element {
        precondition(!part.isEmpty, "nothing cannot be replaced")
        var result = Self()
        var rest = self[...]
        while let found = rest.firstRange(of: part) {
            result.append(contentsOf: rest[..<found.lowerBound])
            result.append(contentsOf: new)
            rest = rest[found.upperBound...]
        }
        result.append(contentsOf: rest)
        return result
    }
}
