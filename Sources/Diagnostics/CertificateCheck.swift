import Terminal

// The certificate of the API, as its files are: a running daemon has what was good when it last looked.

let certificateChecks = [Check("certificate", certificate)]

private func certificate(_ facts: Facts) -> Check.Finding {
    guard let certificate = facts.settings.certificate else {
        return .skipped("None is configured: the API speaks plain HTTP.")
    }
    if certificate.isHidden {
        return .skipped("\(certificate.path) or its key is not for this user.", fix: "sudo mesh-gateway doctor")
    }
    let show = "openssl x509 -noout -text -in \(shellWord(certificate.path))"
    if let mistake = certificate.mistake {
        return .fault("It cannot be used: \(mistake).", fix: "mesh-gateway config check")
    }
    if let closed = certificate.closedToService {
        let place = shellWord(closed)
        return .fault(
            "The service's user may not read \(closed): the service does not start.",
            fix: "sudo chgrp mesh-gateway \(place) && sudo chmod g+rX \(place)")
    }
    guard let validity = certificate.validity else { return .skipped("\(certificate.path) was not looked at.") }
    if facts.now < validity.lowerBound {
        return .fault(
            "It counts from \(durationInWords(milliseconds: validity.lowerBound - facts.now)) from now on: is this computer's "
                + "clock right?", fix: "timedatectl")
    }
    let left = validity.upperBound - facts.now
    if left < 0 {
        return .fault(
            "It has expired \(durationInWords(milliseconds: -left)) ago: clients refuse it. Renew it.",
            fix: "sudo certbot renew")
    }
    if certificate.isKeyOpenToAll {
        return .warning(
            "Everybody on this computer can read its private key \(certificate.key).",
            fix: "sudo chmod o-r \(shellWord(certificate.key))")
    }
    let words = "It counts for another \(durationInWords(milliseconds: left))"
    // Certbot renews a third of the time before the end, and short ones have six days in all.
    let isLate = left < min(14 * 86_400_000, (validity.upperBound - validity.lowerBound) / 5)
    return isLate ? .warning("\(words), and was not renewed yet.", fix: show) : .ok("\(words).")
}
