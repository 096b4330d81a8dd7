import CSerialPort
import Glibc
import MeshModel
import Platform

/// A serial port of this machine.
public struct SerialPort: Hashable, Sendable {
    /// Such as `/dev/ttyACM0`; it can be another one after the next plug-in.
    public var path: String
    /// The link below /dev/serial/by-id, which stays.
    public var stablePath: String?
    /// Nil for a port that is not on USB.
    public var usb: USBIdentity?

    public init(path: String, stablePath: String? = nil, usb: USBIdentity? = nil) {
        self.path = path
        self.stablePath = stablePath
        self.usb = usb
    }

    public var kind: USBKind { usb.map { USBTable.kind(vendor: $0.vendor, product: $0.product) } ?? .unknown }

    /// What it is, for people.
    public var label: String {
        guard let usb else { return "serial port" }
        return USBTable.label(vendor: usb.vendor, product: usb.product) ?? usb.productName ?? "unknown USB device"
    }

    /// What a person types to name this port for good.
    public var bestPath: String { stablePath ?? path }
}

/// What a USB device says about itself.
public struct USBIdentity: Hashable, Sendable {
    public var vendor: UInt16
    public var product: UInt16
    /// Nil when the device has none; many bridges of one kind share one, such as `0001`.
    public var serialNumber: String?
    public var manufacturer: String?
    public var productName: String?
    /// Where it is plugged in; the ports of one device share it.
    public var bus: Int
    public var address: Int

    public init(
        vendor: UInt16, product: UInt16, serialNumber: String? = nil, manufacturer: String? = nil,
        productName: String? = nil, bus: Int = 0, address: Int = 0
    ) {
        self.vendor = vendor
        self.product = product
        self.serialNumber = serialNumber
        self.manufacturer = manufacturer
        self.productName = productName
        self.bus = bus
        self.address = address
    }

    /// The serial number if it tells this device from others of its kind: CP210x bridges leave the factory with `0001`.
    var ownSerialNumber: String? { serialNumber == "0001" ? nil : serialNumber }

    /// Whether this is the same device, perhaps plugged in again.
    func isSameDevice(as other: USBIdentity) -> Bool {
        vendor == other.vendor && product == other.product && serialNumber == other.serialNumber
    }
}

/// Looks for serial ports and picks the radio.
public enum PortScan {
    /// The serial ports, sorted by path; asks sysfs alone and opens none of them.
    public static func ports() -> [SerialPort] {
        let links = stablePaths()
        return deviceNames().compactMap { name in
            // The kernel takes an unplugged device's node away before its place in sysfs, and tells of the node only.
            let path = "/dev/\(name)"
            guard access(path, F_OK) == 0 else { return nil }
            var found: OpaquePointer?
            guard sp_get_port_by_name(path, &found) == SP_OK, let port = found else { return nil }
            defer { sp_free_port(port) }
            return SerialPort(path: path, stablePath: links[path], usb: usbIdentity(port))
        }
    }

    /// The terminals that have hardware behind them. libserialport's sp_list_ports 0.1.1 is not asked: it ends the process
    /// when a device leaves while it looks, as when a hub is pulled out.
    private static func deviceNames() -> [String] {
        (names(in: classDirectory) ?? []).filter { name in
            guard let device = linkTarget("\(classDirectory)/\(name)") else { return false }
            if device.split(separator: "/").contains("virtual") { return false }
            // The kernel makes places for 8250 ports that the machine does not have; their type is 0, PORT_UNKNOWN.
            return contents(of: "\(classDirectory)/\(name)/type")?.first != "0"
        }
    }

    private static let classDirectory = "/sys/class/tty"

    private static func usbIdentity(_ port: OpaquePointer) -> USBIdentity? {
        var (vendor, product, bus, address): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard sp_get_port_transport(port) == SP_TRANSPORT_USB,
            sp_get_port_usb_vid_pid(port, &vendor, &product) == SP_OK
        else { return nil }
        _ = sp_get_port_usb_bus_address(port, &bus, &address)
        func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
            guard let pointer, pointer.pointee != 0 else { return nil }
            return String(cString: pointer)
        }
        return USBIdentity(
            vendor: UInt16(truncatingIfNeeded: vendor), product: UInt16(truncatingIfNeeded: product),
            serialNumber: text(sp_get_port_usb_serial(port)), manufacturer: text(sp_get_port_usb_manufacturer(port)),
            productName: text(sp_get_port_usb_product(port)), bus: Int(bus), address: Int(address))
    }

    /// Device node to the link that udev made for it.
    private static func stablePaths() -> [String: String] {
        let directory = "/dev/serial/by-id"
        var links: [String: String] = [:]
        for name in names(in: directory) ?? [] {
            let link = "\(directory)/\(name)"
            if let node = realPath(link) { links[node] = link }
        }
        return links
    }

    /// The one port to open without being told which.
    ///
    /// - Parameter known: the device that this link has spoken to before; it is taken although there are others.
    static func pick(_ ports: [SerialPort], known: USBIdentity?) -> Result<SerialPort, PickFailure> {
        if let usb = known, usb.ownSerialNumber != nil {
            let same = ports.filter { $0.usb?.isSameDevice(as: usb) ?? false }
            if let port = same.first, Set(same.map { $0.usb?.address }).count == 1 { return .success(port) }
        }
        var radios: [SerialPort] = []
        for port in ports where port.kind == .radio {
            // A second interface of a device that is on the list already.
            let isSibling = radios.contains {
                $0.usb?.bus == port.usb?.bus && $0.usb?.address == port.usb?.address && port.usb?.address != 0
            }
            if !isSibling { radios.append(port) }
        }
        if radios.count == 1 { return .success(radios[0]) }
        if radios.isEmpty { return .failure(.none(bridges: ports.filter { $0.kind == .bridge })) }
        return .failure(.several(radios))
    }

    enum PickFailure: Error {
        case none(bridges: [SerialPort])
        case several([SerialPort])

        var problem: Problem {
            switch self {
            case .none(let bridges):
                var advice = "No Meshtastic radio is plugged in."
                var command: String?
                if !bridges.isEmpty {
                    command = "mesh-gateway ports"
                    let lines = bridges.map { "\($0.path) (\($0.label)): --device \($0.bestPath)" }
                    advice +=
                        " A radio may be behind one of these, which are opened only when named: "
                        + lines.joined(separator: "; ")
                }
                return Problem(.noRadio, advice, command: command)
            case .several(let radios):
                let lines = radios.map { "--device \($0.bestPath) (\($0.label))" }
                return Problem(
                    .severalRadios,
                    "Several radios are plugged in and none was taken. Name one: "
                        + lines.joined(separator: "; "), command: "mesh-gateway ports")
            }
        }
    }
}
