import CMeshtastic
import MeshModel
import Testing

@testable import MeshProtocol

/// Every section, the owner and a channel, with fields that nobody knows on each level: a client that was shown less than there
/// is changes one field, and everything else goes back to the radio byte for byte.
@Suite struct NothingIsLostWhenSettingsAreWritten {
    /// A message as fields with their contents, which are messages again, or bytes with their key.
    private indirect enum Tree: Equatable {
        case leaf(UInt32, [UInt8], isKnown: Bool, isSecret: Bool)
        case message(UInt32, [Tree])

        var bytes: [UInt8] {
            switch self {
            case .leaf(_, let bytes, _, _): return bytes
            case .message(let number, let trees):
                var bytes: [UInt8] = []
                WireBytes.append(number, trees.flatMap(\.bytes), to: &bytes)
                return bytes
            }
        }
    }

    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Each known field, and three that nobody knows.
    private static func tree(_ message: MessageFields, _ dice: inout Dice) -> [Tree] {
        var trees = message.list.map { field -> Tree in
            if let inner = field.message, !field.isRepeated { return .message(field.number, tree(inner, &dice)) }
            return .leaf(field.number, leaf(field, &dice), isKnown: true, isSecret: field.isSecret)
        }
        for number in [900, 901, 17_000] as [UInt32] {
            var bytes: [UInt8] = []
            switch number {
            case 900: WireBytes.append(number, varint: dice.next(), to: &bytes)
            case 901: WireBytes.append(number, fixed: UInt32(truncatingIfNeeded: dice.next()), to: &bytes)
            default: WireBytes.append(number, [1, UInt8(truncatingIfNeeded: dice.next())], to: &bytes)
            }
            trees.insert(
                .leaf(number, bytes, isKnown: false, isSecret: false), at: Int.random(in: 0...trees.count, using: &dice)
            )
        }
        return trees
    }

    /// One occurrence; never zero, which could be left out.
    private static func leaf(_ field: MessageField, _ dice: inout Dice) -> [UInt8] {
        var bytes: [UInt8] = []
        switch field.wireType {
        case 0: WireBytes.append(field.number, varint: UInt64.random(in: 1...1, using: &dice), to: &bytes)
        case 5: WireBytes.append(field.number, fixed: UInt32.random(in: 1...1 << 20, using: &dice), to: &bytes)
        default:
            let text = (0..<Int.random(in: 1...9, using: &dice)).map { _ in UInt8.random(in: 97...122, using: &dice) }
            WireBytes.append(field.number, field.message == nil ? text : [], to: &bytes)
        }
        return bytes
    }

    /// What a client was given: without secrets, and without what it does not know.
    private static func shown(_ trees: [Tree]) -> [Tree] {
        trees.compactMap { tree in
            switch tree {
            case .leaf(_, _, let isKnown, let isSecret): isKnown && !isSecret ? tree : nil
            case .message(let number, let inner): .message(number, shown(inner))
            }
        }
    }

    /// Paths of places to known fields that the client was shown.
    private static func places(_ trees: [Tree]) -> [[Int]] {
        trees.indices.flatMap { index -> [[Int]] in
            switch trees[index] {
            case .leaf: [[index]]
            case .message(_, let inner): places(inner).map { [index] + $0 }
            }
        }
    }

    private static func numbers(_ trees: [Tree], _ place: [Int]) -> [UInt32] {
        switch trees[place[0]] {
        case .leaf(let number, _, _, _): [number]
        case .message(let number, let inner): [number] + numbers(inner, Array(place.dropFirst()))
        }
    }

    /// With another content of the field with these numbers; nil: without it.
    private static func changing(_ trees: [Tree], _ numbers: ArraySlice<UInt32>, to content: [UInt8]?) -> [Tree] {
        trees.compactMap { tree in
            switch tree {
            case .leaf(let number, _, let isKnown, let isSecret) where [number] == Array(numbers):
                return content.map { .leaf(number, $0, isKnown: isKnown, isSecret: isSecret) }
            case .message(let number, let inner) where number == numbers.first:
                return .message(number, changing(inner, numbers.dropFirst(), to: content))
            default: return tree
            }
        }
    }

    private static func field(_ number: UInt32, like bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        let field = WireField(readingFrom: &rest)!
        var changed: [UInt8] = []
        if field.isVarint {
            WireBytes.append(number, varint: 0x77, to: &changed)
        } else if field.isLengthDelimited {
            WireBytes.append(number, Array("else".utf8), to: &changed)
        } else {
            WireBytes.append(number, fixed: 0x7777_7777, to: &changed)
        }
        return changed
    }

    private static func raw(of number: [UInt32], in trees: [Tree]) -> [UInt8] {
        for tree in trees {
            switch tree {
            case .leaf(let own, let bytes, _, _) where [own] == number: return bytes
            case .message(let own, let inner) where own == number.first:
                return raw(of: Array(number.dropFirst()), in: inner)
            default: continue
            }
        }
        return []
    }

    private static var messages: [(name: String, fields: MessageFields)] {
        (SettingsName.all + [.userInterface]).map { ("\($0)", $0.fields) } + [("channel", RadioChannel.fields)]
    }

    private func merged(_ shown: [Tree], _ wanted: [Tree], _ real: [Tree], _ fields: MessageFields) throws -> [UInt8] {
        let bytes = [shown, wanted, real].map { $0.flatMap(\.bytes)[...] }
        return try #require(
            MergedSettings.merged(shown: bytes[0], wanted: bytes[1], real: bytes[2], fields))
    }

    @Test(arguments: Self.messages.map(\.name)) func oneFieldChanges(_ name: String) throws {
        let fields = try #require(Self.messages.first { $0.name == name }).fields
        var dice = Dice(state: 7)
        let real = Self.tree(fields, &dice)
        let shown = Self.shown(real)
        #expect(try merged(shown, shown, real, fields) == real.flatMap(\.bytes))
        let places = Self.places(shown)
        #expect(!places.isEmpty || name == "sessionkey")
        for place in places {
            let numbers = Self.numbers(shown, place)
            let other = Self.field(numbers.last!, like: Self.raw(of: numbers, in: shown))
            let wanted = Self.changing(shown, numbers[...], to: other)
            let expected = Self.changing(real, numbers[...], to: other)
            #expect(try merged(shown, wanted, real, fields) == expected.flatMap(\.bytes), "\(name) \(numbers)")
            // Unset, as a field that is missing.
            let without = Self.changing(shown, numbers[...], to: nil)
            let left = Self.changing(real, numbers[...], to: nil)
            #expect(try merged(shown, without, real, fields) == left.flatMap(\.bytes), "\(name) without \(numbers)")
            // Somebody else has changed another field meanwhile.
            let elsewhere = Self.changing(real, numbers[...], to: other)
            #expect(try merged(shown, shown, elsewhere, fields) == elsewhere.flatMap(\.bytes), "\(name) \(numbers)")
        }
    }

    /// Written back blanked, or in firmware's word for it, a secret stays; a new one counts.
    @Test func aHiddenSecretStays() throws {
        let network = try #require(SettingsName.all.first { "\($0)" == "network" })
        func section(_ secret: [UInt8], enabled: Bool = false) throws -> SettingsSection {
            var bytes: [UInt8] = []
            if enabled { WireBytes.append(1, varint: 1, to: &bytes) }
            if !secret.isEmpty { WireBytes.append(4, secret, to: &bytes) }
            return try #require(SettingsSection(network, bytes))
        }
        let real = try section(Array("geheim".utf8))
        let shown = try section([])
        for hidden in [[], [0, 0, 0, 0, 0, 0], Array("sekrit".utf8)] as [[UInt8]] {
            let merged = try #require(real.changed(from: shown, to: section(hidden, enabled: true)))
            #expect(merged["network.wifi_enabled"] == .flag(true) && merged.bytes.contains(Array("geheim".utf8)))
        }
        let merged = try #require(real.changed(from: shown, to: section(Array("neu".utf8))))
        #expect(merged == (try section(Array("neu".utf8))))
    }

    @Test func twoKindsDoNotMerge() throws {
        let sections = SettingsName.all.prefix(2).compactMap { SettingsSection($0, []) }
        #expect(sections[0].changed(from: sections[0], to: sections[1]) == nil)
    }

    /// A later firmware may keep more in a channel's settings: this program has no name for 9.
    @Test func aChannelKeepsWhatHasNoNameHere() throws {
        // index 1, settings { psk 01, name "Hut", 9: 1 }, role SECONDARY
        let real = try #require(RadioChannel(bytes("08 01 12 0a 12 01 01 1a 03 48 75 74 48 01 18 02")))
        var wanted = real.channel
        wanted.uplinkEnabled = true
        let merged = try #require(real.changed(from: RadioChannel(real.channel), to: RadioChannel(wanted)))
        #expect(merged.channel == wanted)
        #expect(merged.bytes == bytes("08 01 12 0c 12 01 01 1a 03 48 75 74 48 01 28 01 18 02"))
        #expect(AdminRequest.setChannel(merged).encoded().contains(merged.bytes))
        #expect(!merged.saysMore(than: real) && merged.saysMore(than: RadioChannel(wanted)))
        #expect(!"\(merged) \(String(reflecting: merged))".contains("Hut"))
        // And a link hands it on.
        let link = try ChannelLink(parsing: ChannelLink(entries: [real]).text)
        #expect(link.entries[0].settings == real.settings)
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
