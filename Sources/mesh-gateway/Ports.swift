import ArgumentParser
import Glibc
import RadioLink
import Terminal

/// `mesh-gateway ports`: what is plugged in, what it is, who holds it.
struct Ports: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the serial ports: what is plugged in, what it is, who holds it.",
        discussion: "Opens none of them. --device auto takes the only port marked \"radio\".")

    func run() throws {
        let ports = PortScan.ports()
        guard !ports.isEmpty else {
            writeToStandardOutput(
                """
                No serial port is there. Plug the radio in with a cable that carries data, not only power, and look \
                again. A radio in the network is --device tcp:HOST.

                """)
            return
        }
        var table = Table([
            .init("PORT"), .init("KIND"), .init("USB ID"), .init("WHAT IT IS", widest: 48), .init("HELD BY"),
            .init("STABLE NAME"),
        ])
        for port in ports {
            table.add([
                port.path, port.kind.rawValue, port.usb.map { "\(hex($0.vendor)):\(hex($0.product))" } ?? "-",
                port.label, PortHolder.holder(of: port.path).map { "\($0.name) (process \($0.process))" } ?? "-",
                port.stablePath ?? "-",
            ])
        }
        writeToStandardOutput(table.text())
    }

    private func hex(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
