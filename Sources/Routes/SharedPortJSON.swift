import JSON
import Platform

extension JSONWriter {
    /// The clients of a shared port one by one, as a member `clients`.
    ///
    /// - Parameter time: writes a time of the host, under a name.
    public mutating func clients(of share: SharedPortReport, time: (inout JSONWriter, StaticString, Int64) -> Void) {
        key("clients")
        array { json in
            for client in share.clients {
                json.object { json in
                    json.member("address", client.address)
                    json.member("port", Int(client.port))
                    json.member("program", client.program(at: share))
                    time(&json, "since", client.since)
                    json.member("sent", Int64(clamping: client.sent))
                    json.member("refused", Int64(clamping: client.refused))
                }
            }
        }
    }
}

extension SharedPortReport.Client {
    /// The name of a program of this computer, where we may know it.
    fileprivate func program(at share: SharedPortReport) -> String? {
        guard address.hasPrefix("127.") || address == "::1", let own = share.portNumber else { return nil }
        return SocketOwner.program(withPort: port, connectedTo: own)
    }
}

extension SharedPortReport {
    fileprivate var portNumber: UInt16? { address.split(separator: ":").last.flatMap { UInt16($0) } }
}
