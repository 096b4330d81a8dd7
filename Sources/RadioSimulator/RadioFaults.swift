import MeshModel
import MeshProtocol

/// What goes wrong with the radio itself, at a time or from a time on.
extension Radio {
    private static let recurring: Misbehaviour = [.reboots, .silentReboots]
    private static let once: Misbehaviour = [.factoryReset, .numberChange, .liveNumberChange]

    /// From now on exactly these, and what has its time at once. What a person would repair is repaired: a region that is
    /// missing is set.
    mutating func misbehave(_ faults: Misbehaviour) {
        let old = misbehaviour
        adopt(faults)
        let region = faults.contains(.regionUnset) ? 0 : options.isFresh ? settings.region : options.region
        if settings.region != region {
            set(region: region)
            reboot(silently: false)
        }
        if old.contains(.locked) != faults.contains(.locked) {
            api.lockdown = LockdownStatus(state: isLocked ? 2 : 3, reason: "")
        }
        agenda.removeAll {
            switch $0 {
            case .fault, .logLine: true
            default: false
            }
        }
        if !faults.isDisjoint(with: [Self.recurring, Self.once]) { strike() }
        scheduleLogLine()
    }

    mutating func scheduleFirstFaults() {
        if !misbehaviour.isDisjoint(with: [Self.recurring, Self.once]) {
            agenda.add(.fault, at: now + options.rebootInterval)
        }
        scheduleLogLine()
    }

    mutating func strike() {
        // Beside restarts it has its turn before the first one.
        let isLive =
            misbehaviour.contains(.liveNumberChange) && misbehaviour.isDisjoint(with: [.factoryReset, .numberChange])
        if misbehaviour.contains(.factoryReset) { resetToFactory(.device) }
        if !misbehaviour.isDisjoint(with: [.numberChange, .liveNumberChange]) { renewKey() }
        adopt(misbehaviour.subtracting(Self.once))
        if isLive {
            api.newIdentity = myInfo
        } else {
            reboot(silently: misbehaviour.contains(.silentReboots))
        }
        if !misbehaviour.isDisjoint(with: Self.recurring) { agenda.add(.fault, at: now + options.rebootInterval) }
    }

    /// The whole device, or its settings without the keys, which 2.8 keeps then (SerialReference 4.14).
    enum FactoryReset { case device, config }

    mutating func resetToFactory(_ reset: FactoryReset) {
        let losesKeys = reset == .device || options.firmware == .v2_7
        // The next key pair is another one.
        if losesKeys { renewKey() }
        becomeFresh(withoutKeys: losesKeys)
        forgetAll()
    }

    /// As from the shop. Without keys the number is the hardware's.
    mutating func becomeFresh(withoutKeys: Bool) {
        settings.becomeFresh()
        if withoutKeys {
            settings.hasKeys = false
            number = NodeNumber(macAddress.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })
        }
        let digits = String(number.id.suffix(4))
        user = User(
            id: number.id, longName: "Meshtastic \(digits)", shortName: digits, macAddress: user.macAddress,
            hardwareModel: user.hardwareModel, publicKey: withoutKeys ? nil : user.publicKey, isUnmessagable: false)
        // On 2.8 nobody shares a position without having said so.
        let precision: UInt32 = options.firmware != .v2_7 ? 0 : 13
        channels = [Channel(index: 0, role: .primary, psk: [1], positionPrecision: precision)]
        (writtenChannels, clientData, backup) = ([:], ClientData(), nil)
    }

    /// The first region brings the key pair. On 2.8 the number is made of it, at once: the host is not told (firmware issue
    /// 11718).
    mutating func set(region: UInt32) {
        settings.region = region
        guard region != 0, !settings.hasKeys else { return }
        settings.hasKeys = true
        user.publicKey = settings.publicKey
        guard options.firmware != .v2_7 else { return }
        number = settings.publicKey.nodeNumber
        user.id = number.id
    }

    /// On 2.7 the number is the hardware's; there it changes when another node has taken it, to a random one.
    mutating func renewKey() {
        var population = Population(
            seed: options.seed &+ UInt64(rebootCount + keyCount) << 32, firmware: .v2_8)
        keyCount += 1
        let key = population.key()
        settings.publicKey = key
        settings.privateKey = population.bytes(32)
        settings.hasKeys = true
        number = population.number(publicKey: key, macAddress: [])
        user.id = number.id
        user.publicKey = key
    }

    // MARK: A radio that does not listen

    var isLocked: Bool { misbehaviour.contains(.locked) }
    var isDeaf: Bool { isOff || !misbehaviour.isDisjoint(with: [.silence, .serialDisabled]) }

    mutating func scheduleLogLine() {
        guard misbehaviour.contains(.serialDisabled) else { return }
        agenda.add(.logLine, at: now + 10)
    }

    /// my_info and the rest zeroed, without any node.
    func lockedHandshake(completingWith completion: UInt32) -> [[UInt8]] {
        var frames = [FromRadio.myInfo(MyNodeInfo(number: number, minAppVersion: 30200)).encoded()]
        frames.append(FromRadio.metadata(DeviceMetadata(firmwareVersion: "")).encoded())
        frames += (0..<8).map { FromRadio.channel(Channel(index: $0)).encoded() }
        frames += (1...10).map { tag in Self.frame(5, WireWriter.message { $0.message(UInt32(tag), []) }) }
        return frames + [FromRadio.configComplete(completion).encoded()]
    }
}
