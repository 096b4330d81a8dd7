import Configuration
import HTTPServer
import Platform
import Systemd

// What `listen` and `socket` say, as the server takes it.

/// - Parameters:
///   - socket: the path of the local socket.
///   - handed: what systemd has opened for this process.
func listeners(_ settings: Configuration, socket: String, handed: [HandedSocket]) throws -> [Listener] {
    if let mistake = localSocketAmongListeners(settings, socket) {
        throw failure("\(settings.origin(of: .listen)): \(mistake)", .configuration)
    }
    let group = localGroup
    let mode: UInt16 = group == nil ? 0o600 : 0o660
    let network = try settings.listen.flatMap { address -> [Listener] in
        switch address {
        case .tcp(let host, let port): return [.tcp(host: host, port: port)]
        case .unix(let path): return [.unix(path: path, mode: mode, group: group)]
        case .systemd:
            guard !handed.isEmpty else { throw nothingHandedOver(settings) }
            return handed.map { .inherited(descriptor: $0.descriptor, name: name($0)) }
        }
    }
    return network + [.local(path: socket, mode: mode, group: group)]
}

/// Why the local socket cannot serve clients as well; nil: it is not to.
func localSocketAmongListeners(_ settings: Configuration, _ socket: String) -> String? {
    func place(_ path: String) -> String {
        // The socket itself need not be there yet.
        let (folder, name) = (GatewayOptions.folder(of: path), path.split(separator: "/").last ?? "")
        return realPath(folder).map { "\($0)/\(name)" } ?? path
    }
    let isAmong = settings.listen.contains { address in
        if case .unix(let path) = address { place(path) == place(socket) } else { false }
    }
    guard isAmong else { return nil }
    return "listen unix:\(socket) is the local socket, where no token is asked for; give clients another one: "
        + "listen = unix:\(socket.dropLast(".sock".count)).api.sock"
}

private func name(_ socket: HandedSocket) -> String {
    "socket \(socket.name.isEmpty ? "" : "\(socket.name) ")(descriptor \(socket.descriptor))"
}

private func nothingHandedOver(_ settings: Configuration) -> any Error {
    failure(
        "\(settings.origin(of: .listen)): listen = systemd, but systemd has handed over no socket: stop the service, "
            + "start its socket unit (mesh-gateway.socket; MANUAL.md in /usr/share/doc/mesh-gateway has one), and then the service",
        .configuration)
}

/// Sockets that nobody takes keep their clients waiting for ever; nil where there are none.
func noteOnHandedSockets(_ handed: [HandedSocket], _ settings: Configuration) -> String? {
    guard !handed.isEmpty, !settings.listen.contains(.systemd) else { return nil }
    let names = handed.map(name).joined(separator: ", ")
    return "systemd has handed over sockets that are not used, because there is no listen = systemd: \(names)"
}
