import JSON
import MeshModel
import Store

// Which source a radio belongs to, and which one a link feeds (Sources/README.md, "The way of the data").
//
// 1. The stable identity of a radio is its device id, then its USB serial number; node numbers change under it. A radio
//    that has neither is known by its node number. The port where it is plugged in says nothing.
// 2. Each link feeds one source, also while no radio is there: the one that it fed before. These sources are enabled,
//    no other is.
// 3. The database alone knows who feeds what (`Source.device`): a change that runs again, because the disk failed, finds
//    it as it was.

extension Source {
    /// What the radio says of itself, in order of trust: the first is what a new source keeps.
    static func identities(deviceID: [UInt8], usbSerial: String?, number: NodeNumber) -> [String] {
        var found: [String] = []
        if deviceID.contains(where: { $0 != 0 }) { found.append("device:" + hexadecimal(deviceID)) }
        if let usbSerial, !usbSerial.isEmpty { found.append("usb:" + usbSerial) }
        found.append(identity(of: number))
        return found
    }

    /// A radio has used it, or nobody has yet. What feeds others without one, such as a broker, knows its own.
    fileprivate var canBelongToRadio: Bool {
        guard let deviceID else { return true }
        return ["device:", "usb:", "node:"].contains { deviceID.hasPrefix($0) }
    }

    /// A radio without a device id was known by its USB serial number, which it does not show in the network.
    fileprivate func isKnownByNumber(to identities: [String]) -> Bool {
        identities.count == 1 && deviceID?.hasPrefix("usb:") == true
            && nodeNumber.map { Self.identity(of: $0) } == identities[0]
    }

    /// Whether what was told over two links is of one radio: the most trusted identity that both have told decides.
    static func isOneRadio(_ one: [String], _ another: [String]) -> Bool {
        func value(_ kind: String, of identities: [String]) -> String? { identities.first { $0.hasPrefix(kind) } }
        for kind in ["device:", "usb:", "node:"] {
            if let first = value(kind, of: one), let second = value(kind, of: another) { return first == second }
        }
        return false
    }
}

/// What has become of a radio that has identified itself on a link.
enum Adoption: Equatable {
    /// The link feeds this source. `exchanged`: the link that did so before now feeds the source in return.
    case adopted(SourceID, exchanged: Exchange?)
    /// The radio is at this link as well, which had it first.
    case refused(holder: String)

    struct Exchange: Equatable {
        var device: String
        var source: SourceID
    }
}

/// Finds or makes the sources of the links of a start, before any radio is there. The other sources are disabled.
///
/// - Parameter devices: the settings of the links; no two are the same.
func assignSources(to devices: [String], firstName: String, at now: Int64, _ writer: Writer) throws -> [SourceID] {
    var free = try writer.sources().filter { $0.1.canBelongToRadio }
    func claim(_ fits: (Source) -> Bool) -> SourceID? {
        free.firstIndex { fits($0.1) }.map { free.remove(at: $0).0 }
    }
    var taken = devices.map { device in claim { $0.device == device } }
    for index in taken.indices where taken[index] == nil {
        // The settings were changed, but the radio may be the same. Else a source that nobody has used.
        taken[index] = claim { $0.isEnabled } ?? claim { $0.deviceID == nil }
    }
    for (id, source) in free where source.isEnabled { try writer.update(id) { $0.isEnabled = false } }
    return try zip(devices, taken).map { device, found in
        let id = try found ?? writer.newSource(named: firstName, isOnly: writer.sources().isEmpty, at: now)
        try writer.attach(id, to: device)
        return id
    }
}

/// Finds or makes the source of a radio that has just identified itself on a link, on the store's writer thread.
///
/// The source that knows one of the identities takes over the most trusted one; a source that no radio has used yet is
/// adopted; else there is a new one. Another link that fed it gets this link's source in return. Otherwise that one keeps
/// its history, disabled.
///
/// - Parameters:
///   - device: the setting of the link.
///   - isAlsoAt: whether this radio is at another link, which is named by its setting.
func adoptSource(
    identities: [String], on device: String, isAlsoAt: (String) -> Bool, at now: Int64, _ writer: Writer,
    update: (inout Source) -> Void
) throws -> Adoption {
    let sources = try writer.sources()
    let current = sources.first { $0.1.device == device }
    let known =
        identities.lazy.compactMap { identity in sources.first { $0.1.deviceID == identity } }.first
        ?? sources.first { $0.1.isKnownByNumber(to: identities) }
    let unused = current?.1.deviceID == nil ? current : sources.first { $0.1.deviceID == nil }
    let found = known ?? unused
    // Nil also for a link that the settings no longer have.
    let feeder = found?.1.isEnabled == true ? found?.1.device : nil
    if let feeder, feeder != device, known != nil, isAlsoAt(feeder) { return .refused(holder: feeder) }
    let adopted =
        try found?.0
        ?? writer.newSource(
            named: current?.1.name, isOnly: sources.count { $0.1.isEnabled } < 2, at: now)
    var exchange: Adoption.Exchange?
    if let current, current.0 != adopted {
        try writer.update(current.0) { source in
            source.isEnabled = false
            source.device = nil
        }
        if let feeder {
            try writer.attach(current.0, to: feeder)
            exchange = Adoption.Exchange(device: feeder, source: current.0)
        }
    }
    try writer.attach(adopted, to: device)
    try writer.update(adopted) { source in
        // The same radio by its number keeps what is trusted more.
        if !source.isKnownByNumber(to: identities) { source.deviceID = identities[0] }
        update(&source)
    }
    return .adopted(adopted, exchanged: exchange)
}

extension Writer {
    /// From now on this link feeds the source.
    fileprivate func attach(_ id: SourceID, to device: String) throws {
        let others = try sources().filter { $0.0 != id }.map(\.1)
        let name = others.nameForAnother
        try update(id) { source in
            source.isEnabled = true
            source.device = device
            // Radios that were on one link one after the other share its name, until both are there.
            if others.contains(where: { $0.isEnabled && $0.name == source.name }) { source.name = name }
        }
    }

    /// - Parameters:
    ///   - name: that of the only link's source, whichever radio is there.
    ///   - isOnly: there is one link. Of several each has a name of its own.
    fileprivate func newSource(named name: String?, isOnly: Bool, at now: Int64) throws -> SourceID {
        let ownName = try sources().map(\.1).nameForAnother
        return try insert(
            Source(uuid: randomUUID(), name: isOnly ? name ?? ownName : ownName, isEnabled: false, createdAt: now))
    }
}

extension [Source] {
    /// "Radio 2" beside one.
    fileprivate var nameForAnother: String {
        var number = count + 1
        while contains(where: { $0.name == "Radio \(number)" }) { number += 1 }
        return "Radio \(number)"
    }
}
