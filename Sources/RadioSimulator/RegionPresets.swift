/// Which modem presets are allowed in which region: what a 2.8.0 said, byte for byte (recording 01-handshake-serial).
enum RegionPresets {
    private static let common: [UInt8] = [0, 1, 3, 4, 5, 6, 7]
    private static let europe: [UInt8] = common + [10, 11, 12, 13]

    /// Config.LoRaConfig.ModemPreset; the standard 0, LONG_FAST, is not on the wire.
    private static let groups: [(presets: [UInt8], standard: UInt64, isLicensed: Bool)] = [
        (common + [8, 9, 16], 0, false), (europe, 0, false), (europe, 10, false), (europe, 13, false),
        ([14, 15], 14, true), ([12, 13], 13, true),
    ]

    /// Config.LoRaConfig.RegionCode, and the place of its group.
    private static let regions: [(code: UInt64, group: UInt64)] =
        [(1, 0), (2, 0), (3, 1), (29, 2), (32, 3)]
        + [4, 5, 6, 22, 9, 7, 8, 10, 11, 12, 14, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26].map { ($0, 0) }
        + [(27, 4), (28, 4), (33, 4), (37, 5), (34, 5), (35, 5), (36, 5), (13, 0)]

    /// LoRaRegionPresetMap.
    static let content = WireWriter.message { map in
        for group in groups {
            map.message(
                1,
                WireWriter.message {
                    $0.message(1, group.presets)
                    $0.number(2, group.standard)
                    $0.flag(3, group.isLicensed)
                })
        }
        for region in regions {
            map.message(
                2,
                WireWriter.message {
                    $0.number(1, region.code)
                    $0.number(2, region.group)
                })
        }
    }
}
