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
            guard makeRoom(for: address, listeners[place].port.right) else {
                refuse(descriptor, address, place, "there are \(Self.capacity) clients already")
                continue
            }
            let radio = radio(of: listeners[place].port)
            lastID += 1
            let client = ShareClient(
                id: lastID, descriptor: descriptor, address: address, port: place, right: listeners[place].port.right,
                closes: listeners[place].port.closes, sender: sender(address), since: WallClock.milliseconds(),
                radio: radio, now: now)
            client.start = { [unowned self] in start($0) }
            clients.append(client)
            log("has connected", client)
            board.isDirty = true
        }
    }

    /// - Returns: a client of this address and with this right has a place.
    private func makeRoom(for address: String, _ right: ClientRight) -> Bool {
        if clients.count < Self.capacity, seats(for: right).isFree { return true }
        // An end may lie in the socket, not yet read: a program that leaves and comes back at once would be the ninth.
        for client in clients where client.holdsSeat { read(client) }
        let (seated, isFree) = seats(for: right)
        guard clients.count < 2 * Self.capacity else { return false }
        if isFree { return true }
        guard let last = ShareSeats.whoMakesRoom(for: address, among: seated.map(\.address)) else { return false }
        readRest(of: seated[last], end: .displaced)
        return true
    }

    /// - Returns: the clients on places that somebody with this right could have, the oldest first, and whether there is one
    ///   more. Where there is a port for administrators, one place is for its clients alone.
    private func seats(for right: ClientRight) -> (seated: [ShareClient], isFree: Bool) {
        let seated = clients.filter(\.holdsSeat)
        let isFull = seated.count >= Self.capacity
        let hasAdministrators = listeners.contains { $0.descriptor >= 0 && $0.port.right == .admin }
        guard right < .admin, hasAdministrators else { return (seated, !isFull) }
        let others = seated.filter { $0.right < .admin }
        guard others.count >= Self.capacity - 1 else { return (seated, !isFull) }
        return (others, false)
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

    /// After a reload that takes away rights, ports or networks: clients that no longer have what they need are ended.
    func narrow(to rights: [ClientRight?]) {
        for (place, right) in rights.enumerated() where listeners[place].descriptor >= 0 {
            if let right {
                listeners[place].port.right = right
            } else {
                close(listeners[place].descriptor)
                listeners[place].descriptor = -1
            }
        }
        board.narrow(to: rights)
        for client in clients {
            let mayStay = rights[client.port].map { client.right <= $0 } ?? false
            if !mayStay || !admits(client.address) { client.end = client.end ?? .notAdmitted }
        }
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

    /// Without a source, or while the database is busy, a new client waits for one (``followSource(_:)``).
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

/// Which address has how many places. One may have all of them while nobody else comes: that a program is silent says nothing,
/// many never speak. So room is made by fairness alone.
enum ShareSeats {
    /// A new client whose address has at least two places fewer than the fullest one takes the place of that one's last client.
    ///
    /// - Parameter addresses: of the clients, the oldest first.
    /// - Returns: the place in the list of the client that leaves; nil: none does.
    static func whoMakesRoom(for address: String, among addresses: [String]) -> Int? {
        let counts = Dictionary(addresses.map { ($0, 1) }, uniquingKeysWith: +)
        guard let most = counts.values.max(), most - (counts[address] ?? 0) >= 2 else { return nil }
        return addresses.lastIndex { counts[$0] == most }
    }
}
