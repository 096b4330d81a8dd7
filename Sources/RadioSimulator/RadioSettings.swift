import MeshModel

/// The radio's settings as bytes, the private key and passwords among them: a host that reads the handshake has to keep
/// them to itself, and tests look for them in what comes out on the other side. The codec would leave them out.
struct RadioSettings {
    static let wifiPassword = "simulated-wifi-password"
    static let mqttPassword = "simulated-mqtt-password"
    static let bluetoothPIN: UInt32 = 123_456
    static let screenPIN: UInt32 = 271_828

    let firmware: SimulatorOptions.Firmware
    /// Config.LoRaConfig.RegionCode; 0 is UNSET.
    var region: UInt32 { didSet { written[6] = nil } }
    var publicKey: PublicKey { didSet { written[8] = nil } }
    var privateKey: [UInt8]
    /// A radio makes its key pair when it is given its first region.
    var hasKeys = true { didSet { written[8] = nil } }
    /// Nobody has set it up: no network, no neighbours, no region in its MQTT topic.
    private var isFresh = false
    /// Config.PositionConfig.fixed_position, whatever else a host has written there.
    var isPositionFixed: Bool {
        get { varintField(3, in: content(of: [2], in: config(2)) ?? []) != 0 }
        set {
            guard newValue != isPositionFixed else { return }
            // The last one counts.
            let section = content(of: [2], in: config(2)) ?? []
            written[2] = section + [0x18, newValue ? 1 : 0]
        }
    }
    /// ModuleConfig.NeighborInfoConfig.enabled.
    var hasNeighborInfo: Bool { varintField(1, in: content(of: [10], in: moduleConfig(10)) ?? []) != 0 }
    /// Sections that a host has set, by their numbers in Config and ModuleConfig.
    private var written: [UInt32: [UInt8]] = [:]
    private var writtenModules: [UInt32: [UInt8]] = [:]

    init(firmware: SimulatorOptions.Firmware, region: UInt32, publicKey: PublicKey, privateKey: [UInt8]) {
        self.firmware = firmware
        self.region = region
        self.publicKey = publicKey
        self.privateKey = privateKey
    }

    mutating func becomeFresh() {
        (written, writtenModules) = ([:], [:])
        (isFresh, region) = (true, 0)
    }

    mutating func write(config tag: UInt32, _ section: [UInt8]) { written[tag] = section }
    mutating func write(module tag: UInt32, _ section: [UInt8]) { writtenModules[tag] = section }

    /// 2.7 knows 16 modules, 2.8 one more.
    var moduleTags: ClosedRange<UInt32> { 1...(firmware == .v2_7 ? 16 : 17) }

    /// Config with the section of this number; 9 and 10 are empty (SerialReference 2.3).
    func config(_ tag: UInt32) -> [UInt8] {
        if let section = written[tag] { return WireWriter.message { $0.message(tag, section) } }
        let section = WireWriter.message {
            switch tag {
            case 1: $0.number(7, 10_800)
            case 2: position(&$0)
            case 3:
                $0.number(4, 60)
                $0.number(6, UInt64(UInt32.max))
                $0.number(7, 300)
                $0.number(8, 10)
            case 4:
                if !isFresh {
                    $0.text(3, "Hut")
                    $0.text(4, Self.wifiPassword)
                }
                $0.text(5, "meshtastic.pool.ntp.org")
                $0.number(10, 1)
            case 5: $0.number(1, 600)
            case 6: lora(&$0)
            case 7:
                $0.flag(1, true)
                $0.number(2, 1)
                $0.number(3, UInt64(Self.bluetoothPIN))
            case 8:
                if hasKeys {
                    $0.message(1, publicKey.bytes)
                    $0.message(2, privateKey)
                }
                $0.flag(5, true)
            default: break
            }
        }
        return WireWriter.message { $0.message(tag, section) }
    }

    private func position(_ section: inout WireWriter) {
        section.number(1, 3600)
        section.flag(2, true)
        section.number(5, 120)
        section.number(7, 811)
        section.number(10, 100)
        section.number(11, 300)
        section.number(13, 1)
    }

    /// LONG_FAST is preset 0, which is not on the wire.
    private func lora(_ section: inout WireWriter) {
        section.flag(1, true)
        section.number(3, 250)
        section.number(4, 11)
        section.number(5, 5)
        section.number(7, UInt64(region))
        section.number(8, 3)
        section.flag(9, true)
        section.number(10, 27)
        section.flag(13, true)
        section.flag(104, true)
    }

    /// ModuleConfig with the module of this number. 8 (audio) is one that this build leaves out: no inner variant.
    func moduleConfig(_ tag: UInt32) -> [UInt8] {
        guard tag != 8 else { return [] }
        if let section = writtenModules[tag] { return WireWriter.message { $0.message(tag, section) } }
        let section = WireWriter.message {
            switch tag {
            case 1:
                $0.text(2, "mqtt.meshtastic.org")
                $0.text(3, "meshdev")
                $0.text(4, Self.mqttPassword)
                $0.flag(5, true)
                $0.text(8, isFresh ? "msh" : "msh/EU_868")
            case 6: $0.number(1, 1800)
            case 10:
                $0.flag(1, !isFresh)
                $0.number(2, 14_400)
                $0.flag(3, !isFresh)
            default: break
            }
        }
        return WireWriter.message { $0.message(tag, section) }
    }

    /// What the radio's file system holds.
    static let files: [(name: String, size: UInt64)] = [
        ("/prefs/device.proto", 99), ("/prefs/config.proto", 186), ("/prefs/module.proto", 128),
        ("/prefs/channels.proto", 74), ("/prefs/nodes.proto", 2048),
    ]
}
