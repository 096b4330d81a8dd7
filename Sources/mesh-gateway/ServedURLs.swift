/// Where clients find the API, as URLs; Unix sockets stay "unix:/run/x.sock".
///
/// - Parameters:
///   - addresses: as the server tells them.
///   - base: the path below which it is served; empty: at the root.
func servedURLs(_ addresses: [String], base: String) -> [String] {
    addresses.map { address in
        if address.hasPrefix("unix:") { return address }
        return (address.hasPrefix("https://") ? address : "http://\(address)") + base
    }
}

/// The command that asks for the status on this machine.
///
/// - Parameter base: as in ``servedURLs(_:base:)``, which has put it into `urls` already.
func commandToTry(_ urls: [String], base: String) -> String {
    guard let url = urls.first(where: { !$0.hasPrefix("unix:") }) else {
        let socket = urls.first?.dropFirst("unix:".count) ?? ""
        return "curl --unix-socket \(socket) http://localhost\(base)/api/status"
    }
    let scheme = url.prefix { $0 != ":" }
    var rest = url.dropFirst(scheme.utf8.count + 3)
    for everywhere in ["[::]:", "0.0.0.0:"] where rest.hasPrefix(everywhere) {
        rest = "127.0.0.1:" + rest.dropFirst(everywhere.count)
    }
    // No certificate is for an address of this machine.
    return "curl \(scheme == "https" ? "-k " : "")\(scheme)://\(rest)/api/status"
}
