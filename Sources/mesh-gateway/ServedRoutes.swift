import ControlAPI
import RestAPI
import Routes
import WebPage

/// Everything that the gateway answers, of all rooms that have pages.
let servedEndpoints = Endpoints.all + ControlEndpoints.all + WebPageEndpoints.all
