import ControlAPI
import RestAPI
import Routes

extension Endpoints {
    /// What the program serves.
    static let served = all + ControlEndpoints.all
    static let router = Router(served)
}
