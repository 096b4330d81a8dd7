import Routes
import Store

/// What it costs to find out whether a request carries a valid token: one that was seen before, one that nobody knows,
/// and something that is no token.
func measureTokens(database: String) throws {
    let store = try Store(path: database)
    defer { store.close() }
    let token = try TokenRegister(store: store).create(name: "bench")
    let check = TokenCheck(store: store)
    let now = hostMilliseconds()
    func measure(_ figure: String, _ authorization: String, isGood: Bool) {
        let count = 50_000
        // The median of some rounds: another program may have had the processor in between.
        let times = (0..<9).map { _ in
            let began = monotonicTime()
            for _ in 0..<count {
                let isAdmitted = check.isValid(authorization: authorization, now: now)
                precondition(isAdmitted == isGood, "a token is judged wrongly")
            }
            return monotonicTime() - began
        }
        print(figure, Double(times.sorted()[times.count / 2]) / Double(count) / 1000)
    }
    measure("token_good_us", "Bearer \(token.text)", isGood: true)
    measure("token_unknown_us", "Bearer \(APIToken.random().text)", isGood: false)
    measure("token_malformed_us", "Bearer password", isGood: false)
}
