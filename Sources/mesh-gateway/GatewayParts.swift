import Configuration
import Gateway
import Log
import RadioLink
import RadioSimulator
import Store

/// Store, radios and gateway put together, as the settings say.
struct GatewayParts {
    let store: Store
    let gateway: Gateway
    private let simulated: [SimulatedRadio]

    /// - Parameters:
    ///   - store: closed by ``stop()``.
    ///   - recorder: what records the traffic of a radio.
    init(
        _ settings: Configuration, store: Store, recorder: (DeviceSetting) -> (any TrafficSink)? = { _ in nil },
        logger: Logger
    ) throws {
        self.store = store
        let taps = settings.devices.map { recorder($0).map { TrafficRecorder(to: $0) } }
        let (devices, simulated) = try Self.devices(settings, taps)
        self.simulated = simulated
        do {
            gateway = try Gateway(
                store: store, sourceName: settings.sourceName, keyChange: settings.keyChange,
                logger: logger, devices: devices)
        } catch {
            throw failure("the database cannot be used: \(error)", .inputOutput)
        }
    }

    private static func devices(
        _ settings: Configuration, _ taps: [TrafficRecorder?]
    ) throws -> ([Gateway.Device], [SimulatedRadio]) {
        let claims = PortClaims()
        var simulated: [SimulatedRadio] = []
        let devices = try zip(settings.devices, taps).map { setting, tap in
            let address = RadioAddress(setting)
            guard case .simulated(let simulation) = setting else {
                return Gateway.Device(name: "\(setting)") {
                    RadioLink(address: address, claims: claims, tap: tap, delegate: $0)
                }
            }
            let radio = try simulatedRadio(simulation)
            simulated.append(radio)
            return Gateway.Device(name: "\(setting)") {
                RadioLink(address: address, claims: claims, connect: { try radio.connect() }, tap: tap, delegate: $0)
            }
        }
        return (devices, simulated)
    }

    private static func simulatedRadio(_ simulation: DeviceSetting.Simulation) throws -> SimulatedRadio {
        var options = SimulatorOptions()
        options.seed = simulation.seed
        options.nodes = simulation.nodes
        options.isFresh = simulation.isFresh
        do {
            return try SimulatedRadio(options)
        } catch {
            throw failure("the simulated radio does not start: \(error)", .systemError)
        }
    }

    /// The simulated ones, which have to be there before the gateway looks for them.
    func startRadios() { for radio in simulated { radio.start() } }

    /// In order: good-bye to the radios, everything on disk.
    func stop() {
        gateway.stop()
        for radio in simulated { radio.stop() }
        store.close()
    }
}

extension RadioAddress {
    fileprivate init(_ setting: DeviceSetting) {
        switch setting {
        case .automatic: self = .auto
        case .path(let path): self = .path(path)
        case .tcp(let host, let port): self = .tcp(host: host, port: port)
        case .simulated: self = .connection(name: "the simulated radio")
        }
    }
}
