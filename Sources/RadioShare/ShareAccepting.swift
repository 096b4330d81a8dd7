import Gateway
import Glibc
import Log
import MeshModel
import Platform
import Store

// Clients come, and are turned away.

extension ShareLoop {
    func acceptAll(_ place: Int) {
        // A flood of them must not keep the others waiting.
        for _ in 0..<16 {
            guard let (descriptor, address) = ShareSocket.accept(listeners[place].descriptor) else {
                // That one is gone; the next may be there.
                if Self.isOfConnection(errno) { continue }
                if errno != EAGAIN { acceptsFrom = now + 1_000_000_000 }
                return
            }
            guard admits(address) else {
                refuse(descriptor, address, place, "its address is none of those that may")
                continue
            }
            guard hasRoom() else {
                refuse(descriptor, address, place, "there are \(Self.capacity) clients already")
                continue
            }
            let radio = radio(of: listeners[place].port)
            lastID += 1
            let client = ShareClient(
                id: lastID, descriptor: descriptor, address: address, port: place, right: listeners[place].port.right,
                sender: sender(address), since: WallClock.milliseconds(), radio: radio, now: now)
            client.start = { [unowned self] in start($0) }
            clients.append(client)
            log("has connected", client)
            board.isDirty = true
        }
    }

    /// Whoever has said that nothing more comes holds no place, although the answers that it waits for may still be under
    /// way: a program that leaves and comes back at once would be the ninth otherwise.
    private func hasRoom() -> Bool {
        if clients.count < Self.capacity { return true }
        // Its end may lie in the socket, not yet read.
        for client in clients where client.leavesBy == nil && client.end == nil { read(client) }
        let staying = clients.count { $0.leavesBy == nil && $0.end == nil }
        return staying < Self.capacity && clients.count < 2 * Self.capacity
    }

    /// What accept(2) says of the connection, not of the listener.
    private static func isOfConnection(_ error: Int32) -> Bool {
        [ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH]
            .contains(error)
    }

    private func refuse(_ descriptor: Int32, _ address: String, _ place: Int, _ why: String) {
        board.count(place) { $0.refusedConnections += 1 }
        if refusals.isToBeLogged(address, at: now) {
            logger.warning("shared radio: \(address) may not connect: \(why)")
        }
        if let oldest = refusals.hold(descriptor, at: now) { leaving.end(oldest, at: now) }
    }

    /// Some come and go every second.
    func log(_ words: String, _ client: ShareClient) {
        let level = refusals.isToBeLogged("\(client.address) \(words)", at: now) ? Logger.Level.info : .debug
        logger.log(level, "shared radio: \(client.address) \(words)")
    }

    /// Several clients of one address are told apart, so that each has the room of a radio.
    private func sender(_ address: String) -> Sender {
        for number in 1... {
            let sender = Sender(.share, number == 1 ? address : "\(address)#\(number)")
            if !clients.contains(where: { $0.sender == sender }) { return sender }
        }
        preconditionFailure("more clients than numbers")
    }

    /// Where no source is named, another radio may have come in the place of the one that it was.
    func followSource(_ client: ShareClient) {
        guard client.port < listeners.count, case let port = listeners[client.port].port, port.source == nil,
            let source = gateway.sharedSource, source != client.radio.source
        else { return }
        let radio = radio(source)
        client.radio = radio
        settingsMayBeOthers(radio, [client])
    }

    /// Where there is no source yet, or the database is busy, whoever comes waits for one (``followSource(_:)``).
    private func radio(of port: SharedPort) -> SharedRadio {
        radio(port.source ?? gateway.sharedSource ?? SourceID(rawValue: 0))
    }

    private func radio(_ source: SourceID) -> SharedRadio {
        if let radio = radios[source] { return radio }
        let radio = SharedRadio(gateway, source) { [inbox] in inbox.wake() }
        radios[source] = radio
        return radio
    }
}
