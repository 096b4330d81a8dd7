import Foundation
import Testing

@testable import MeshProtocol

/// `region_presets` of firmware 2.8, and the table that replaces it for older firmware.
@Suite struct ARadioSaysWhichPresetsItAllows {
    /// FromRadio with a map of these groups and regions.
    private static func frame(groups: [[UInt8]], regions: [(code: UInt64, group: UInt64)]) -> [UInt8] {
        var map: [UInt8] = []
        for group in groups { WireBytes.append(1, group, to: &map) }
        for region in regions {
            var one: [UInt8] = []
            WireBytes.append(1, varint: region.code, to: &one)
            WireBytes.append(2, varint: region.group, to: &one)
            WireBytes.append(2, one, to: &map)
        }
        var frame: [UInt8] = []
        WireBytes.append(19, map, to: &frame)
        return frame
    }

    private static let group: [UInt8] = [0x0A, 2, 12, 13, 0x10, 13, 0x18, 1]

    @Test func byGroups() throws {
        let allowed = try #require(
            AllowedPresets(frame: Self.frame(groups: [[0x0A, 1, 0], Self.group], regions: [(3, 0), (37, 1)])))
        #expect(allowed.all.map(\.region) == [3, 37])
        #expect(allowed.all[0].presets == ["LONG_FAST"] && allowed.all[0].standard == "LONG_FAST")
        #expect(allowed.all[1].presets == ["NARROW_FAST", "NARROW_SLOW"] && allowed.all[1].standard == "NARROW_SLOW")
        #expect(allowed.all[1].isLicensed && !allowed.all[0].isLicensed)
    }

    @Test func whatCannotBeIsLeftOut() {
        // A group that is not there, a region twice, and one without a number.
        let odd = Self.frame(groups: [Self.group], regions: [(3, 1), (4, 0), (4, 0), (0, 0), (5, 255)])
        #expect(AllowedPresets(frame: odd)?.all.map(\.region) == [4])
        // More than fit: the message may have 512 bytes.
        let many = Self.frame(groups: [Self.group], regions: (1...80).map { ($0, 0) })
        #expect(AllowedPresets(frame: many)?.all.count == 64)
        #expect(AllowedPresets(frame: Self.frame(groups: [Self.group], regions: (1...300).map { ($0, 0) })) == nil)
        for length in 1..<odd.count where length != odd.count {
            #expect(AllowedPresets(frame: Array(odd.prefix(length))) == nil)
        }
        #expect(AllowedPresets(frame: []) == nil)
    }

    @Test(arguments: [("2.8.0.abc", 34), ("2.7.15.567b8ea", 26), ("2.6.11.60ec05e", 21), ("", 18), ("2.3.2", 18)])
    func olderOnesHaveATable(_ version: String, _ count: Int) {
        let regions = AllowedPresets.assumed(for: version)
        #expect(regions.count == count)
        for region in regions { #expect(LoRaRegion.of(region.region) != nil && region.presets.contains("LONG_FAST")) }
        // 500 kHz do not fit into a band of 250.
        #expect(regions.first { $0.region == 3 }?.presets.contains("SHORT_TURBO") == false)
    }

    @Test func everyFactIsOfASetting() throws {
        let table = (#filePath as NSString).deletingLastPathComponent + "/../RestAPITests/Own/Radio/Settings.tsv"
        let paths = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n").map {
            String($0.prefix { $0 != "\t" })
        }
        #expect(SettingFacts.paths.isSubset(of: paths))
    }
}
