import Glibc

// Why a connection failed, in words that say what to do. OpenSSL says "certificate verify failed" of everything, and the resolver
// "lookup error".

enum FailureWords {
    /// - Parameters:
    ///   - verification: what OpenSSL thinks of the broker's certificate, an X509_V_ERR_...
    ///   - host: as the url has it.
    /// - Returns: nil if the certificate is not the reason, or for a reason of its own.
    static func ofCertificate(verification: Int, host: String) -> String? {
        switch verification {
        case 9: "its certificate is not valid yet: is a clock wrong, here or there?"
        case 10: "its certificate has expired: whoever runs the broker has to renew it"
        // Issuers that are missing, and certificates that are signed by themselves.
        case 2, 18, 19, 20, 21, 27:
            "its certificate is from an unknown authority: name the authority's file in the broker's file, ca = FILE"
        case 23: "its certificate has been revoked"
        case 62, 64: wrongName(host)
        default: nil
        }
    }

    /// - Parameter complaint: an error message of the library.
    /// - Returns: nil if it is to be shown as it is.
    static func ofComplaint(_ complaint: String, host: String) -> String? {
        func says(_ text: String) -> Bool { complaint.contains(text) }
        if says("host name verification failed") { return wrongName(host) }
        if says("alert certificate required") || says("alert handshake failure") {
            return "it wants a certificate of ours: name certificate and key in the broker's file"
        }
        if says("alert unknown ca") || says("alert bad certificate") || says("alert certificate unknown") {
            return "it does not accept our certificate: certificate and key are to be of an authority that it knows"
        }
        if says("alert certificate expired") { return "our certificate has expired: renew it" }
        if says("wrong version number") || says("packet length too long") {
            return "there is no TLS at this port: write mqtt:// or the port for TLS, 8883, into the url"
        }
        return nil
    }

    private static func wrongName(_ host: String) -> String {
        "its certificate is for another name than \(host): write the certificate's name into the url"
    }

    /// Of a name that cannot be looked up.
    static func ofName(_ host: String, hasMulticast: Bool = hasMulticast) -> String {
        guard host.lowercased().hasSuffix(".local") else {
            return "the name \(host) is not known: is it spelled right?"
        }
        return hasMulticast
            ? "the name \(host) is not known: nothing in this network answers to it"
            : "the name \(host) is not known: names in .local need libnss-mdns; install it: sudo apt install libnss-mdns"
    }

    /// Whether the system looks names in .local up.
    static var hasMulticast: Bool {
        guard let module = dlopen("libnss_mdns4_minimal.so.2", RTLD_LAZY | RTLD_LOCAL) else { return false }
        dlclose(module)
        return true
    }
}
