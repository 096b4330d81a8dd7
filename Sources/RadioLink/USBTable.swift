/// What a USB serial device with this vendor and product number is likely to be (SerialReference 10).
public enum USBKind: String, Hashable, Sendable {
    /// A board that normally runs Meshtastic: opened by `--device auto`.
    case radio
    /// A bridge chip, or a board of many uses: many radios hide behind one, and so does much else. Opened when named.
    case bridge
    /// Bootloaders, debug probes, GPS receivers: never to be opened as a radio.
    case never
    /// Not in the table.
    case unknown
}

enum USBTable {
    static func kind(vendor: UInt16, product: UInt16) -> USBKind {
        entry(vendor: vendor, product: product)?.kind ?? .unknown
    }

    /// What it is, for people; nil when the table does not know.
    static func label(vendor: UInt16, product: UInt16) -> String? { entry(vendor: vendor, product: product)?.label }

    struct Entry {
        var vendor: UInt16
        /// Nil: all products of the vendor that have no line of their own.
        var product: UInt16?
        var kind: USBKind
        var label: String
        init(_ vendor: UInt16, _ product: UInt16?, _ kind: USBKind, _ label: String) {
            (self.vendor, self.product, self.kind, self.label) = (vendor, product, kind, label)
        }
    }

    private static func entry(vendor: UInt16, product: UInt16) -> Entry? {
        entries.first { $0.vendor == vendor && $0.product == product }
            ?? entries.first { $0.vendor == vendor && $0.product == nil }
    }

    static let entries: [Entry] = [
        Entry(0x239A, 0x8029, .radio, "nRF52840 board (RAK4631, T1000-E, Nano G2 Ultra and others)"),
        Entry(0x239A, 0x4405, .radio, "nRF52840 board (T-Echo, Heltec T114, ThinkNode and others)"),
        Entry(0x239A, 0x00B3, .radio, "nRF52840 ProMicro or MeshLink"),
        Entry(0x239A, 0x4404, .radio, "nRF52840-DK"),
        Entry(0x239A, 0x810B, .radio, "XIAO BLE Sense"),
        Entry(0x239A, 0xCAFE, .radio, "Muzi Base"),
        Entry(0x239A, 0x802A, .radio, "nRF52840 board"),
        Entry(0x239A, 0x810C, .radio, "nRF52840 board"),
        Entry(0x239A, 0x0029, .never, "nRF52840 bootloader"),
        Entry(0x239A, 0x002A, .never, "nRF52840 bootloader"),
        Entry(0x239A, 0x009F, .never, "nRF52840 bootloader"),
        Entry(0x239A, 0x0071, .never, "nRF52840 bootloader"),
        Entry(0x239A, 0x010B, .never, "nRF52840 bootloader"),
        Entry(0x2886, 0x0059, .radio, "Seeed XIAO ESP32-S3 or Solar Node"),
        Entry(0x2886, 0x0166, .radio, "Seeed XIAO nRF52840 kit"),
        Entry(0x2886, 0x1668, .radio, "Seeed Wio Tracker L1"),
        Entry(0x2886, 0x1667, .never, "Seeed Wio Tracker L1 bootloader"),
        Entry(0x2886, 0x0057, .bridge, "Seeed board, perhaps its bootloader"),
        Entry(0x2886, 0x0048, .radio, "M5Stack Unit C6L"),
        Entry(0x303A, 0x1001, .radio, "ESP32-S3 or ESP32-C3/C6 (T-Deck, T-Beam Supreme, Heltec V4 and others)"),
        Entry(0x303A, 0x0002, .radio, "ESP32-S2 or ESP32-S3"),
        Entry(0x303A, 0x80D6, .radio, "mesh-tab"),
        Entry(0x16D0, 0x1178, .radio, "unPhone"),
        Entry(
            0x10C4, 0xEA60, .bridge, "CP210x bridge (Heltec V1 to V3, T-LoRa, T-Beam; also Zigbee and Z-Wave sticks)"),
        Entry(0x10C4, 0xEA70, .bridge, "CP210x bridge"),
        Entry(0x10C4, 0xEA71, .bridge, "CP210x bridge"),
        Entry(0x10C4, 0xEA80, .bridge, "CP210x bridge"),
        Entry(0x1A86, 0x55D4, .bridge, "CH9102 bridge (T-Beam, T-LoRa V2.1, Nano G1 and others)"),
        Entry(0x1A86, 0x7523, .bridge, "CH340 bridge (RAK11200, SenseCAP Indicator and others)"),
        Entry(0x2E8A, 0x0003, .never, "RP2040 bootloader"),
        Entry(0x2E8A, 0x000F, .never, "RP2350 bootloader"),
        Entry(0x2E8A, nil, .bridge, "RP2040 or RP2350 board"),
        Entry(0x0403, 0x6010, .never, "FTDI with a JTAG channel"),
        Entry(0x0403, 0x6011, .never, "FTDI with a JTAG channel"),
        Entry(0x0403, nil, .bridge, "FTDI bridge"),
        Entry(0x067B, nil, .bridge, "PL2303 bridge"),
        Entry(0x2341, nil, .bridge, "Arduino board"),
        Entry(0x16C0, 0x0483, .bridge, "Teensy"),
        Entry(0x03EB, 0x2044, .bridge, "Atmel board"),
        Entry(0x1EAF, 0x0004, .bridge, "Maple board"),
        Entry(0x1366, nil, .never, "SEGGER J-Link"),
        Entry(0x0483, nil, .never, "ST-Link"),
        Entry(0x1915, nil, .never, "Nordic debugger or power profiler"),
        Entry(0x0925, nil, .never, "Saleae analyser"),
        Entry(0x04B4, nil, .never, "Cypress device"),
        Entry(0x0D28, nil, .never, "DAPLink debugger"),
        Entry(0x1546, nil, .never, "u-blox GPS receiver"),
    ]
}
