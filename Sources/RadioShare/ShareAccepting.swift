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
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM { acceptsFrom = now + 1_000_000_000 }
                return
            }
            let isOutside = !admits(address)
            guard !isOutside, clients.count < Self.capacity, let radio = radio(of: listeners[place].port) else {
                refuse(descriptor, address, place, isOutside ? "its address is none of those that may" : nil)
                continue
            }
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

    private func refuse(_ descriptor: Int32, _ address: String, _ place: Int, _ why: String?) {
        board.count(place) { $0.refusedConnections += 1 }
        if refusals.isToBeLogged(address, at: now) {
            logger.warning(
                "shared radio: \(address) may not connect: \(why ?? "there are \(Self.capacity) clients already")")
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
            let radio = radio(of: port), radio !== client.radio
        else { return }
        client.radio = radio
        settingsMayBeOthers(radio, [client])
    }

    private func radio(of port: SharedPort) -> SharedRadio? {
        guard let source = port.source ?? gateway.sharedSource else { return nil }
        if let radio = radios[source] { return radio }
        let radio = SharedRadio(gateway, source) { [inbox] in inbox.wake() }
        radios[source] = radio
        return radio
    }
}
