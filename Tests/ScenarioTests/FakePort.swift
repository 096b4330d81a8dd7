import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// A USB serial port for a program of its own: the interposer of Tests/CFakeSerial is loaded into it and shows a fake
/// tree, in which the simulated radio's pseudo terminal is a USB device.
final class FakePort {
    private let radio: SimulatedRadio
    private let root: String
    /// As under /dev; empty while it is unplugged.
    private(set) var name = ""
    private var wasPlugged = false

    /// Nothing is plugged in yet.
    init(_ radio: SimulatedRadio, in folders: Folders) throws {
        self.radio = radio
        root = "\(folders.root)/fake"
        for directory in ["sys/class/tty", "sys/devices", "dev/serial/by-id"] {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(directory)", withIntermediateDirectories: true)
        }
    }

    /// What makes a program see the tree.
    var environment: [String: String] {
        get throws { ["LD_PRELOAD": try SharedObject.fakeSerial.get(), "FAKESERIAL_ROOT": root] }
    }

    var path: String { "/dev/\(name)" }
    private static let stableName = "usb-Fake_radio_0001-if00"
    var stablePath: String { "/dev/serial/by-id/\(Self.stableName)" }

    /// Plugs the radio in under this name. It boots when it was unplugged.
    func plug(as name: String) throws {
        precondition(self.name.isEmpty)
        let link = "\(root)/pty"
        if wasPlugged { try radio.replug() } else { try radio.openPty(link: link) }
        wasPlugged = true
        let terminal = try FileManager.default.destinationOfSymbolicLink(atPath: link)
        let usb = "sys/devices/usb1/\(name)"
        try FileManager.default.createDirectory(
            atPath: "\(root)/\(usb)/if0/tty/\(name)", withIntermediateDirectories: true)
        let facts = [
            "busnum": "1", "devnum": "7", "idVendor": "303a", "idProduct": "1001", "product": "Simulated radio",
            "manufacturer": "Simulation", "serial": "0001",
        ]
        for (fact, value) in facts {
            try "\(value)\n".write(toFile: "\(root)/\(usb)/\(fact)", atomically: false, encoding: .utf8)
        }
        try self.link("\(usb)/if0/tty/\(name)/device", to: "../..")
        try self.link("sys/class/tty/\(name)", to: "../../devices/usb1/\(name)/if0/tty/\(name)")
        try self.link("dev/\(name)", to: terminal)
        try self.link("dev/serial/by-id/\(Self.stableName)", to: "../../\(name)")
        self.name = name
    }

    /// Pulls the plug.
    func unplug() throws {
        let gone = [
            "dev/\(name)", "dev/serial/by-id/\(Self.stableName)", "sys/class/tty/\(name)", "sys/devices/usb1/\(name)",
        ]
        for path in gone { try FileManager.default.removeItem(atPath: "\(root)/\(path)") }
        radio.unplug()
        name = ""
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(path)", withDestinationPath: target)
    }
}
