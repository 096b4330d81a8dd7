import CommandLine
import Glibc
import JSON
import RadioLink
import Terminal

/// `mesh-gateway ports`: what is plugged in, what it is, who holds it.
struct PortsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ports",
        abstract: "Lists the serial ports: what is plugged in, what it is, and which program has it open.",
        discussion: "Opens none of them. --device auto takes the only port marked \"radio\".")

    @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
    var json = false

    func run() throws {
        let ports = PortScan.ports().map { (port: $0, holder: PortHolder.holder(of: $0.path)) }
        if json {
            let list = ports.map { Self.json($0.port, $0.holder) }.joined(separator: ",")
            return writeToStandardOutput(
                JSONText.object([
                    ("schema", JSONText.quoted("ports/1")), ("via", JSONText.quoted("host")), ("ports", "[\(list)]"),
                ]) + "\n")
        }
        guard !ports.isEmpty else {
            return writeToStandardOutput(
                """
                No serial port is there. Plug the radio in with a cable that carries data, not only power, and look \
                again. A radio in the network is --device tcp:HOST.

                """)
        }
        var table = Table([
            .init("PORT"), .init("KIND"), .init("USB ID", expendability: 3),
            .init("WHAT IT IS", widest: 48, expendability: 1), .init("HELD BY"),
            .init("STABLE NAME", expendability: 2),
        ])
        for (port, holder) in ports {
            table.add([
                port.path, port.kind.rawValue, port.usb.map { "\(hex($0.vendor)):\(hex($0.product))" } ?? "-",
                port.label, holder.map { "\($0.name) (process \($0.process))" } ?? "-", port.stablePath ?? "-",
            ])
        }
        writeToStandardOutput(table.text(style: Screen.style(.bold), screen: Screen.width))
    }

    private static func json(_ port: SerialPort, _ holder: PortHolder?) -> String {
        let usb = port.usb.map { usb in
            JSONText.object([
                ("vendorId", JSONText.quoted(hex(usb.vendor))), ("productId", JSONText.quoted(hex(usb.product))),
                ("serialNumber", text(usb.serialNumber)), ("manufacturer", text(usb.manufacturer)),
                ("product", text(usb.productName)),
            ])
        }
        let held = holder.map {
            JSONText.object([("name", JSONText.quoted($0.name)), ("pid", "\($0.process)")])
        }
        return JSONText.object([
            ("path", JSONText.quoted(port.path)), ("stablePath", text(port.stablePath)),
            ("kind", JSONText.quoted(port.kind.rawValue)), ("label", JSONText.quoted(port.label)),
            ("usb", usb ?? "null"), ("heldBy", held ?? "null"),
        ])
    }

    private static func text(_ text: String?) -> String { text.map(JSONText.quoted) ?? "null" }
}

private func hex(_ number: UInt16) -> String { hexadecimal(UInt32(number), digits: 4) }
