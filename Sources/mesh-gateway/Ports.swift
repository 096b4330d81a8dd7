import ArgumentParser
import RadioLink
import Terminal

/// `mesh-gateway ports`: what is plugged in, what it is, who holds it.
struct Ports: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the serial ports: what is plugged in, what it is, who holds it.",
        discussion: "Opens none of them. A radio marked \"yes\" is what --device auto takes.")

    func run() throws {
        let ports = PortScan.ports()
        guard !ports.isEmpty else {
            writeToStandardOutput(
                """
                No serial port is there. Plug the radio in with a cable that carries data, not only power, and look \
                again; a radio in the network is --device tcp:HOST.

                """)
            return
        }
        var table = Table(columns: ["PORT", "RADIO", "USB ID", "WHAT", "HELD BY", "STABLE NAME"])
        for port in ports {
            table.add(
                row: [
                    port.path, port.kind.isRadio, port.usb.map(\.id) ?? "-", port.label,
                    PortHolder.holder(of: port.path).map { "\($0.name) (\($0.process))" } ?? "-",
                    port.stablePath ?? "-",
                ].map { printable($0) })
        }
        writeToStandardOutput(table.text(width: nil))
    }
}
