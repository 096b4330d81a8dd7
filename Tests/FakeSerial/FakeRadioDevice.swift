import CFakeSerial
import CShims
import Foundation

/// A USB serial device that libserialport finds, opens and configures like a real one (Tests/CFakeSerial). Behind it
/// is a pseudo terminal, whose other end is the device's.
///
/// All devices of a process live under one fake root, so each needs a name of its own: see ``uniqueName(_:)``.
public final class FakeRadioDevice: @unchecked Sendable {  // each test uses its devices from one thread at a time
    /// As under /dev, such as `ttyACM4711`.
    public private(set) var name: String
    public let vendor: UInt16
    public let product: UInt16
    public let serialNumber: String?
    /// The device's end: what the host writes is read here, and the other way round. -1 while unplugged.
    public private(set) var controller: Int32 = -1

    public var path: String { "/dev/\(name)" }
    /// The link that udev would make; the same after every plug-in.
    public var stablePath: String { "/dev/serial/by-id/usb-Fake_\(serialNumber ?? "none")-if00" }

    /// The fake root of this process.
    public static let root: String = {
        var template = Array("/tmp/fakeserial.XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        let made = String(decoding: template.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let path = String(cString: fakeserial_root(made))
        for directory in ["sys/class/tty", "sys/devices", "dev/serial/by-id"] {
            try! FileManager.default.createDirectory(  // a directory that was just made
                atPath: "\(path)/\(directory)", withIntermediateDirectories: true)
        }
        return path
    }()

    /// A port name that no other test uses.
    public static func uniqueName(_ prefix: String = "ttyACM") -> String {
        "\(prefix)\(UInt32.random(in: 1000...999_999_999))"
    }

    /// A device that is not plugged in yet; 303A:1001 is a board that `--device auto` takes.
    public init(
        name: String = uniqueName(), vendor: UInt16 = 0x303A, product: UInt16 = 0x1001, serialNumber: String? = nil
    ) {
        // A link that waits for this device must already watch the fake /dev.
        _ = Self.root
        self.name = name
        self.vendor = vendor
        self.product = product
        self.serialNumber = serialNumber ?? "S\(name)"
    }

    deinit { unplug() }

    /// Plugs it in, under another name if one is given.
    public func plug(as newName: String? = nil) throws {
        precondition(controller < 0, "plugged in already")
        name = newName ?? name
        var terminal = [CChar](repeating: 0, count: 64)
        controller = mg_open_pty(&terminal, UInt(terminal.count))
        guard controller >= 0 else { throw POSIXError(.init(rawValue: errno)!) }
        let files = FileManager.default
        let usb = "sys/devices/usb1/\(name)"
        try files.createDirectory(atPath: "\(Self.root)/\(usb)/if0/tty/\(name)", withIntermediateDirectories: true)
        let facts = [
            "busnum": "1", "devnum": "\(UInt32.random(in: 1...1_000_000))", "idVendor": hex(vendor),
            "idProduct": hex(product), "product": "Fake radio", "manufacturer": "Fake", "serial": serialNumber ?? "",
        ]
        for (fact, value) in facts where !value.isEmpty {
            try "\(value)\n".write(toFile: "\(Self.root)/\(usb)/\(fact)", atomically: false, encoding: .utf8)
        }
        try link("\(usb)/if0/tty/\(name)/device", to: "../..")
        try link("sys/class/tty/\(name)", to: "../../devices/usb1/\(name)/if0/tty/\(name)")
        try link(
            "dev/\(name)",
            to: String(decoding: terminal.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        )
        try link("dev/serial/by-id/\(stablePath.split(separator: "/").last!)", to: "../../\(name)")
    }

    /// Pulls the plug: the node goes and every open descriptor hangs up.
    public func unplug() {
        guard controller >= 0 else { return }
        for path in [
            "dev/\(name)", "dev/serial/by-id/\(stablePath.split(separator: "/").last!)", "sys/class/tty/\(name)",
            "sys/devices/usb1/\(name)",
        ] {
            try? FileManager.default.removeItem(atPath: "\(Self.root)/\(path)")
        }
        fakeserial_forget(name)
        close(controller)
        controller = -1
    }

    /// Lets opening fail as for want of permission, or no longer; udev's change of the node's mode is announced.
    public func setPermitted(_ isPermitted: Bool) throws {
        fakeserial_fail_open(name, isPermitted ? 0 : EACCES)
        let marker = "\(Self.root)/dev/.\(name).changed"
        try Data().write(to: URL(filePath: marker))
        try FileManager.default.removeItem(atPath: marker)
    }

    /// DTR and RTS as the host has left them.
    public var lines: Int32 { fakeserial_lines(name) }
    /// How often the host moved DTR or RTS in a way that can reset a board.
    public var pulses: Int32 { fakeserial_pulses(name) }
    /// How often the node was opened since it was plugged in.
    public var opens: Int32 { fakeserial_opens(name) }

    private func link(_ path: String, to target: String) throws {
        guard symlink(target, "\(Self.root)/\(path)") == 0 else { throw POSIXError(.init(rawValue: errno)!) }
    }

    private func hex(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
