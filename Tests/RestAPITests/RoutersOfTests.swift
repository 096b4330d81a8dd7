import RestAPI
import Routes

extension Endpoints {
    static let router = Router(all)
}
