// What is written to the radio, when somebody has changed what he was shown.
//
// The radio takes a message as a whole: a field that is missing counts as 0. But who changes it need not know every field,
// may have been shown it without its secrets, and another one may have changed it meanwhile. So there are three of it:
//
//     shown    what the client was given
//     wanted   what it wrote
//     real     what the radio has now
//
// Field by field: where wanted is what was shown, real's stays, secrets that were hidden too. A field that this program does
// not know, and the client left out, stays as well: the client does not know it either. What else the client wrote counts.
// So a client can set a password or a PIN and cannot remove one; the owner can, on the gateway's command line.

enum MergedSettings {
    /// Nil: one of the three is no message.
    static func merged(
        shown: ArraySlice<UInt8>, wanted: ArraySlice<UInt8>, real: ArraySlice<UInt8>, _ message: MessageFields
    ) -> [UInt8]? {
        guard let shown = WireField.all(in: shown), let wanted = WireField.all(in: wanted),
            let real = WireField.all(in: real)
        else { return nil }
        var result: [UInt8] = []
        var done: Set<UInt32> = []
        // In the radio's order: what nobody changes stays byte for byte.
        for number in (real + wanted).map(\.number) where done.insert(number).inserted {
            let three = [shown, wanted, real].map { fields in fields.filter { $0.number == number } }
            guard
                let field = merged(
                    shown: three[0], wanted: three[1], real: three[2],
                    message.list.first { $0.number == number })
            else { return nil }
            result += field
        }
        return result
    }

    /// All occurrences of one field.
    private static func merged(
        shown: [WireField], wanted: [WireField], real: [WireField], _ field: MessageField?
    ) -> [UInt8]? {
        let kept = real.flatMap { Array($0.whole) }
        if shown.map(\.value) == wanted.map(\.value) { return kept }
        guard let field else { return wanted.isEmpty ? kept : wanted.flatMap { Array($0.whole) } }
        if field.isSecret, wanted.last?.isHidden == true { return kept }
        // A client that blanks what it cannot show writes "", 0 or, as proto3 spells both of them, nothing at all.
        if field.isWithheld, wanted.last?.isBlank != false { return kept }
        guard let inner = field.message, !field.isRepeated else { return wanted.flatMap { Array($0.whole) } }
        let contents = [shown, wanted, real].map { $0.flatMap { Array($0.content) } }
        guard let content = merged(shown: contents[0][...], wanted: contents[1][...], real: contents[2][...], inner)
        else { return nil }
        if content.isEmpty, wanted.isEmpty { return [] }
        if content == contents[2], !real.isEmpty { return kept }
        var result: [UInt8] = []
        WireBytes.append(field.number, content, to: &result)
        return result
    }
}

extension WireField {
    /// Nil: the bytes are no message.
    static func all(in bytes: ArraySlice<UInt8>) -> [WireField]? {
        var (rest, fields): (ArraySlice<UInt8>, [WireField]) = (bytes, [])
        while !rest.isEmpty {
            guard let field = WireField(readingFrom: &rest) else { return nil }
            fields.append(field)
        }
        return fields
    }

    /// What it says, however its length or number is spelled.
    var value: Value { Value(type: wireType, varint: varint, content: Array(content)) }

    struct Value: Equatable { var type: UInt8, varint: UInt64, content: [UInt8] }

    /// A secret that its writer was not shown: blanked (``Redaction``), or what firmware tells a remote administrator. One
    /// zero byte is none: it is a channel's key that says "no encryption".
    var isHidden: Bool {
        isLengthDelimited && content.count > 1
            && (content.allSatisfy { $0 == 0 } || content.elementsEqual("sekrit".utf8))
    }

    /// The zero of proto3, spelled out.
    var isBlank: Bool { isLengthDelimited ? content.isEmpty : isVarint && varint == 0 }
}

extension SettingsSection {
    /// The section, as the radio has it now, with what somebody has changed in what he was shown.
    ///
    /// Nil: what he wrote is no such section.
    public func changed(from shown: SettingsSection, to wanted: SettingsSection) -> SettingsSection? {
        guard shown.name == name, wanted.name == name,
            let bytes = MergedSettings.merged(
                shown: shown.bytes[...], wanted: wanted.bytes[...], real: bytes[...], name.fields)
        else { return nil }
        return SettingsSection(name, bytes)
    }
}

extension RadioChannel {
    /// The same for a channel.
    ///
    /// Authentication (`use_aead`) that the client left out stays on as long as the key is the one that it was shown. Most
    /// programs do not know that field yet, and what they write looks just as what one that switches it off writes.
    public func changed(from shown: RadioChannel, to wanted: RadioChannel) -> RadioChannel? {
        let isSame = wanted.channel.role != .disabled && wanted.channel.psk == shown.channel.psk
        let shown = isSame && !wanted.channel.usesAEAD ? shown.withoutAuthentication : shown
        return MergedSettings.merged(shown: shown.bytes[...], wanted: wanted.bytes[...], real: bytes[...], Self.fields)
            .flatMap { RadioChannel($0) }
    }
}
