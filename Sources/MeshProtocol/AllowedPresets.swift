import CMeshtastic

/// Which modem presets a radio allows in which region, as firmware 2.8 says in each handshake (LoRaRegionPresetMap).
///
/// Regions share groups. What goes beyond any table of firmware, or names a group that is not there, is left out: it is kept for
/// as long as the radio is there, in less than a kilobyte.
public struct AllowedPresets: Hashable, Sendable {
    struct Group: Hashable, Sendable {
        /// Config.LoRaConfig.ModemPreset.
        var presets: [UInt8]
        var standard: UInt8
        var isLicensed: Bool
    }

    /// What one region allows.
    public struct OfRegion: Hashable, Sendable {
        /// Config.LoRaConfig.RegionCode.
        public var region: UInt32
        /// Names, as `LONG_FAST`.
        public var presets: [String]
        /// The one that a radio falls back to.
        public var standard: String
        /// Only for licensed amateurs.
        public var isLicensed: Bool
    }

    private var groups: [Group] = []
    private var pairs: [Pair] = []

    private struct Pair: Hashable, Sendable {
        var code: UInt8
        var group: UInt8
    }

    private static let mostGroups = 16
    private static let mostPresets = 24
    private static let mostRegions = 64

    /// - Parameter frame: the payload of a FromRadio. Nil: it holds no such map.
    public init?(frame: [UInt8]) {
        let map = frame.withUnsafeBytes { bytes in
            unpacked(bytes, meshtastic__from_radio__unpack, meshtastic__from_radio__free_unpacked) { message in
                message.payload_variant_case == MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_REGION_PRESETS
                    ? AllowedPresets(message.region_presets.pointee) : nil
            }
        }
        guard let map, let map else { return nil }
        self = map
    }

    private init(_ m: Meshtastic__LoRaRegionPresetMap) {
        groups = UnsafeBufferPointer(start: m.groups, count: min(m.n_groups, Self.mostGroups)).map { group in
            let group = group!.pointee
            let presets = UnsafeBufferPointer(start: group.presets, count: min(group.n_presets, Self.mostPresets))
            return Group(
                presets: presets.compactMap { UInt8(exactly: $0.rawValue) },
                standard: UInt8(exactly: group.default_preset.rawValue) ?? 0, isLicensed: group.licensed_only != 0)
        }
        for region in UnsafeBufferPointer(start: m.region_groups, count: m.n_region_groups) {
            let (code, group) = (region!.pointee.region.rawValue, region!.pointee.group_index)
            guard let code = UInt8(exactly: code), code > 0, group < groups.count, pairs.count < Self.mostRegions,
                !pairs.contains(where: { $0.code == code })
            else { continue }
            pairs.append(Pair(code: code, group: UInt8(group)))
        }
    }

    /// In the radio's order.
    public var all: [OfRegion] {
        pairs.map { pair in
            let group = groups[Int(pair.group)]
            return OfRegion(
                region: UInt32(pair.code), presets: group.presets.map(Self.name), standard: Self.name(group.standard),
                isLicensed: group.isLicensed)
        }
    }

    /// Those of a firmware that does not say so. A preset is allowed where its bandwidth fits into the band.
    public static func assumed(for version: String?) -> [OfRegion] {
        let number = FirmwareNumber(orOldest: version)
        let narrow: [UInt8] = [0, 1, 3, 4, 5, 6, 7]
        // SHORT_TURBO and LONG_TURBO take 500 kHz.
        let turbo: [UInt8] = number < .v25 ? [] : number < .v27 ? [8] : [8, 9]
        return LoRaRegion.known(to: version).map { region in
            let presets = narrow + (region.to - region.from >= 0.5 ? turbo : [])
            return OfRegion(
                region: region.code, presets: presets.map(name), standard: name(0), isLicensed: false)
        }
    }

    private static func name(_ preset: UInt8) -> String { EnumNames.modemPreset(UInt32(preset)) ?? "\(preset)" }
}
