import MeshModel

/// How well one node hears another one: the signals that were told of, from packets, neighbour reports and traceroutes.
public struct LinkQuality {
    /// Where a signal was told of.
    public enum Witness: Int, CaseIterable {
        case packet, neighborInfo, traceroute
    }

    public private(set) var count = 0
    /// Host milliseconds.
    public private(set) var lastHeard: Int64 = 0
    private var counts = [Int](repeating: 0, count: Witness.allCases.count)
    /// How often each signal came, by quarters of a dB: the radio measures no finer, and a link takes the same room
    /// however many packets come over it.
    private var quarters: [Int16: Int] = [:]

    public init() {}

    /// Adds one signal, in dB, heard at a time in host milliseconds. What no LoRa receiver measures is left out.
    public mutating func add(_ snr: Double, at time: Int64, by witness: Witness) {
        guard (-40...40).contains(snr) else { return }
        count += 1
        counts[witness.rawValue] += 1
        lastHeard = max(lastHeard, time)
        quarters[Int16((snr * 4).rounded()), default: 0] += 1
    }

    public func count(by witness: Witness) -> Int { counts[witness.rawValue] }

    /// The signal in dB that so many of a hundred do not exceed (nearest rank); nil without any.
    public func percentile(_ percent: Int) -> Double? {
        var rest = max(1, (count * percent + 99) / 100)
        for (quarter, number) in quarters.sorted(by: { $0.key < $1.key }) {
            rest -= number
            if rest <= 0 { return Double(quarter) / 4 }
        }
        return nil
    }
}

/// The links of a mesh, each with its direction.
public struct LinkQualities {
    public struct Link: Hashable {
        public let from: NodeNumber
        public let to: NodeNumber

        public init(from: NodeNumber, to: NodeNumber) {
            self.from = from
            self.to = to
        }
    }

    public private(set) var all: [Link: LinkQuality] = [:]

    public init() {}

    /// A hostile mesh can name any number of nodes; more links than these nobody looks at.
    private static let capacity = 10_000

    /// - Parameter snr: dB at `to`.
    public mutating func add(
        _ from: NodeNumber, _ to: NodeNumber, _ snr: Double, at time: Int64, by witness: LinkQuality.Witness
    ) {
        guard from.mayBeNode, to.mayBeNode, from != to, snr.isFinite else { return }
        let link = Link(from: from, to: to)
        guard all[link] != nil || all.count < Self.capacity else { return }
        all[link, default: LinkQuality()].add(snr, at: time, by: witness)
    }

    /// The hops of a route, there and back.
    ///
    /// - Parameters:
    ///   - asker: who asked.
    ///   - target: who answered.
    public mutating func add(_ route: RouteDiscovery, from asker: NodeNumber, to target: NodeNumber, at time: Int64) {
        add([asker] + route.route + [target], route.snrTowards, at: time)
        add([target] + route.routeBack + [asker], route.snrBack, at: time)
    }

    /// Quarters of a dB, one at each node but the first. Relays rewrite the lists on their way: when they do not fit
    /// together, nobody knows which signal is whose.
    private mutating func add(_ nodes: [NodeNumber], _ quarters: [Int32], at time: Int64) {
        guard quarters.count == nodes.count - 1 else { return }
        for (index, quarter) in quarters.enumerated() where quarter != -128 {
            add(nodes[index], nodes[index + 1], Double(quarter) / 4, at: time, by: .traceroute)
        }
    }
}
