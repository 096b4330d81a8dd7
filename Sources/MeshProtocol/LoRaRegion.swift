/// A region of the LoRa settings: where in the spectrum, and how long a radio may send there.
///
/// As in the firmware's RadioInterface.cpp (SerialReference 8.3; meshtastic/firmware at 003263e6413e, and 2.8.0 for the amateur
/// bands).
public struct LoRaRegion: Hashable, Sendable {
    /// Config.LoRaConfig.RegionCode.
    public let code: UInt32
    /// Megahertz.
    public let from: Double
    public let to: Double
    /// Per cent of an hour, for a radio that is no router.
    public let dutyCycle: Double
    /// Of the firmware that has it: from the first number up to, without, the second.
    private let firmware: Range<FirmwareNumber>

    public var name: String { EnumNames.region(code) ?? "\(code)" }

    private init(
        _ code: UInt32, _ from: Double, _ to: Double, duty dutyCycle: Double = 100, since: FirmwareNumber = .zero,
        until: FirmwareNumber = .last
    ) {
        (self.code, self.from, self.to, self.dutyCycle, firmware) = (code, from, to, dutyCycle, since..<until)
    }

    public static func of(_ code: UInt32) -> LoRaRegion? { all.first { $0.code == code } }

    /// Those of a firmware that does not say itself which it has.
    ///
    /// - Parameter version: nil or unreadable: as the oldest.
    public static func known(to version: String?) -> [LoRaRegion] {
        all.filter { $0.firmware.contains(FirmwareNumber(orOldest: version)) }
    }

    /// `deploy/countries` says which countries have them.
    public static let all: [LoRaRegion] = [
        LoRaRegion(1, 902, 928), LoRaRegion(2, 433, 434, duty: 10), LoRaRegion(3, 869.4, 869.65, duty: 10),
        LoRaRegion(4, 470, 510), LoRaRegion(5, 920.5, 923.5), LoRaRegion(6, 915, 928), LoRaRegion(7, 920, 923),
        LoRaRegion(8, 920, 925), LoRaRegion(9, 868.7, 869.2), LoRaRegion(10, 865, 867), LoRaRegion(11, 864, 868),
        LoRaRegion(12, 920, 925, duty: 10), LoRaRegion(13, 2400, 2483.5), LoRaRegion(14, 433, 434.7, duty: 10),
        LoRaRegion(15, 868, 868.6, duty: 1, until: .v28), LoRaRegion(16, 433, 435), LoRaRegion(17, 919, 924),
        LoRaRegion(18, 917, 925), LoRaRegion(19, 433, 434.7, since: .v25), LoRaRegion(20, 868, 869.4, since: .v25),
        LoRaRegion(21, 915, 918, since: .v25), LoRaRegion(22, 433.05, 434.79, since: .v27),
        LoRaRegion(23, 433.075, 434.775, since: .v27), LoRaRegion(24, 863, 868, since: .v27),
        LoRaRegion(25, 865, 868, since: .v27), LoRaRegion(26, 902, 907.5, since: .v27),
        LoRaRegion(27, 144, 146, since: .v28), LoRaRegion(28, 144, 148, since: .v28),
        LoRaRegion(29, 865.6, 867.6, duty: 2.5, since: .v28), LoRaRegion(32, 869.4, 869.65, duty: 10, since: .v28),
        LoRaRegion(33, 144, 148, since: .v28), LoRaRegion(34, 430, 440, since: .v28),
        LoRaRegion(35, 420, 450, since: .v28), LoRaRegion(36, 430, 450, since: .v28),
        LoRaRegion(37, 220, 225, since: .v28),
    ]
}

/// Major and minor version of a firmware: which regions and presets it has depends on them.
struct FirmwareNumber: Hashable, Comparable {
    let major: Int
    let minor: Int

    init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    /// Nil: the text does not begin with two numbers.
    init?(_ version: String) {
        let numbers = version.split(separator: ".").prefix(2).map { Int($0) }
        guard numbers.count == 2, let major = numbers[0], let minor = numbers[1] else { return nil }
        self.init(major, minor)
    }

    init(orOldest version: String?) { self = version.flatMap { FirmwareNumber($0) } ?? .zero }

    static func < (a: FirmwareNumber, b: FirmwareNumber) -> Bool { (a.major, a.minor) < (b.major, b.minor) }

    static let zero = FirmwareNumber(0, 0)
    static let v25 = FirmwareNumber(2, 5)
    static let v27 = FirmwareNumber(2, 7)
    static let v28 = FirmwareNumber(2, 8)
    static let last = FirmwareNumber(.max, 0)
}
