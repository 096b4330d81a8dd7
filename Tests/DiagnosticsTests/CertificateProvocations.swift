@testable import Diagnostics

let certificateProvocations: [Provocation] = [
    Provocation(
        "certificate", .skipped, "None is configured: the API speaks plain HTTP.", nil,
        { $0.facts.settings.certificate = nil }),
    Provocation(
        "certificate", .skipped, "is not for this user", "sudo mesh-gateway doctor",
        { $0.facts.settings.certificate?.isHidden = true }),
    Provocation(
        "certificate", .fault, "It cannot be used: it does not belong.", "mesh-gateway config check",
        { $0.facts.settings.certificate?.mistake = "it does not belong" }),
    Provocation(
        "certificate", .fault, "The service's user may not read /etc/tls: the service does not start.",
        "sudo chgrp mesh-gateway /etc/tls && sudo chmod g+rX /etc/tls",
        { $0.facts.settings.certificate?.closedToService = "/etc/tls" }),
    Provocation(
        "certificate", .fault, "It counts from 3 d from now on", "timedatectl",
        { $0.certificateCounts(from: 3, to: 93) }),
    Provocation(
        "certificate", .fault, "It has expired 4 d ago", "sudo certbot renew",
        { $0.certificateCounts(from: -94, to: -4) }),
    Provocation(
        "certificate", .warning, "for another 13 d, and was not renewed yet",
        "openssl x509 -noout -text -in /etc/tls/cert.pem", { $0.certificateCounts(from: -77, to: 13) }),
    // One that lives for six days is not late when it has two left.
    Provocation("certificate", .ok, "It counts for another 2 d.", nil, { $0.certificateCounts(from: -4, to: 2) }),
    Provocation(
        "certificate", .warning, "Everybody on this computer can read its private key",
        "sudo chmod o-r /etc/tls/key.pem",
        { $0.facts.settings.certificate?.isKeyOpenToAll = true }),
]

extension HealthyBox {
    /// Days from now.
    fileprivate func certificateCounts(from first: Int64, to last: Int64) {
        facts.settings.certificate?.validity = Self.now + first * Self.day...Self.now + last * Self.day
    }
}
