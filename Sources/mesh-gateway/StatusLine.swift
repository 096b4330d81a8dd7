import Gateway
import Glibc
import HTTPServer
import MeshModel
import Terminal

/// How the daemon is doing, in one line: what `systemctl status` shows.
func statusLine(_ server: HTTPServer, _ gateway: Gateway, _ reload: Reload) -> String {
    let urls = servedURLs(server.addresses, base: reload.settings.value.basePath.path)
    let network = urls.filter { !$0.hasPrefix("unix:") }
    var parts = ["serving on " + (network.isEmpty ? urls : network).joined(separator: " and ")]
    if let doubt = reload.certificate?.value.doubt(at: Int64(time(nil))) { parts.append("certificate: \(doubt)") }
    if let fault = gateway.store.health.fault { parts.append("\(fault.name): \(fault.advice)") }
    let radios = gateway.radioStatuses
    for radio in radios {
        let whose = radios.count > 1 ? radio.device.map { " (\($0))" } ?? "" : ""
        parts.append("radio\(whose) \(radioState(radio))")
    }
    return printable(parts.joined(separator: "; "))
}

/// "live on /dev/ttyACM0 (Hill, !a1b2c3d4)", with what is wrong behind it.
private func radioState(_ radio: RadioStatus) -> String {
    var text = radio.link.name
    if radio.isConnected, let port = radio.port { text += " on \(port)" }
    if radio.link == .live, let id = radio.myInfo?.number.id {
        text += " (" + (radio.longName.map { "\($0), " } ?? "") + "\(id))"
    }
    let faults = radio.faults
    if let first = faults.first { text += "; \(first.name): \(first.advice)" }
    if faults.count > 1 { text += " And \(faults.count - 1) more: mesh-gateway status" }
    return text
}
