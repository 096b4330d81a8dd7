import Gateway
import Log
import MeshModel
import Platform
import Store

/// A client whose bytes somebody carries to and fro, without a socket and without the share's thread: for the fuzz target.
package final class SocketlessClient {
    private let loop: ShareLoop
    private let client: ShareClient

    /// Nil: there is no descriptor left.
    package init?(of gateway: Gateway, _ source: SourceID, right: ClientRight) {
        guard let inbox = ShareInbox() else { return nil }
        let port = SharedPortStatus(address: "", port: 0, right: right, source: source)
        loop = ShareLoop(gateway, inbox, ShareBoard([port]), [], admits: { _ in false }, .silent)
        client = ShareClient(
            id: 1, descriptor: -1, address: "fuzz", port: 0, right: right, sender: Sender(.share, "fuzz"), since: 0,
            radio: SharedRadio(gateway, source) {}, now: 0)
        let loop = loop
        client.start = { [unowned loop] in loop.start($0) }
        loop.clients = [client]
    }

    /// It says this.
    package func say(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { loop.hear($0, from: client) }
        if case .silent = client.phase { loop.start(client) }
    }

    /// What it has been told since, once what other threads had to do is done.
    package func takeTold() -> [UInt8] {
        for event in loop.inbox.take().events { loop.take(event) }
        client.fill()
        defer { client.output.removeAll() }
        return client.output.all
    }
}
