import Glibc
import MeshModel
import MeshProtocol
import Platform

/// The inside of a link's thread: one poll(2) over the port, the wake pipe and the hot-plug watch.
final class LinkLoop {
    enum Stage {
        /// Nothing to open, or not yet. `until`: nil while only a change under /dev can help.
        case waiting(until: MonotonicTime?)
        /// `until`: nil when its failure was told. There is never a second search beside one that hangs.
        case lookingUp(HostLookup, until: MonotonicTime?)
        case connecting(Int32, rest: ArraySlice<HostLookup.Address>, until: MonotonicTime)
        case open(Port)
    }

    let link: RadioLink
    var stage = Stage.waiting(until: 0)
    var hotPlug: HotPlug?
    var backOff = LinkLoop.shortestBackOff
    var openedAt: MonotonicTime = 0
    /// The USB device that this link has spoken to.
    var known: USBIdentity?
    /// The last look found no device node, and until when a new one may be without permission.
    var wasAbsent = false
    var permissionDue: MonotonicTime?
    /// What the open port is called.
    var name = ""

    private var session: RadioSession
    private var decoder = LinkLoop.newDecoder()
    /// When the open port last was seen to have nothing to read. Only until then is what is late not coming: this thread
    /// may have stood still since, with the rest of a frame in the kernel.
    private var silentAt: MonotonicTime = 0
    private var counted: StreamDecoder<FromRadio>.Counters
    private var writing: (frame: RadioSession.Frame, done: Int)?
    private var leftHalfAFrame = false
    private var reopen: Problem?
    /// Who has asked the radio something, by the token of the question.
    private var questions: [Int: RadioLink.Question] = [:]
    private var lastToken = 0
    private var input = [UInt8](repeating: 0, count: 4096)

    static let shortestBackOff = RadioSession.second / 2
    static let longestBackOff = 10 * RadioSession.second

    init(_ link: RadioLink) {
        self.link = link
        counted = decoder.counters
        session = RadioSession(pace: link.address.isSerial ? .serial : .unlimited, wallClock: link.wallClock)
    }

    private static func newDecoder() -> StreamDecoder<FromRadio> { StreamDecoder(decode: FromRadio.init(decoding:)) }

    func run() {
        link.transition(to: .searching(nil))
        while true {
            let pending = link.takePending()
            if pending.isStopping { break }
            if pending.isAsked { session.wake() }
            for question in pending.questions { ask(question, at: MonotonicClock.nanoseconds()) }
            if pending.mustRereadSettings { session.readAgain(at: MonotonicClock.nanoseconds()) }
            if let problem = pending.reasonToLeave { leave(because: problem) }
            if pending.isRecalled, case .waiting = stage { search(at: MonotonicClock.nanoseconds()) }
            step(at: MonotonicClock.nanoseconds())
            wait()
        }
        finish()
    }

    private func step(at now: MonotonicTime) {
        switch stage {
        case .waiting(let until): if let until, now >= until { search(at: now) }
        case .lookingUp(let lookup, let until):
            if let result = lookup.result {
                connect(after: result, at: now)
            } else if let until, now >= until {
                tellOfSlowLookup(lookup)
            }
        case .connecting(_, _, let until):
            if now >= until { connectionFailed("no answer", at: now) }
        case .open(let port):
            decoder.expire(now: silentAt) { handle($0, at: now) }
            session.expire(at: now)
            passOn()
            write(to: port, at: now)
            closeIfAsked(at: now)
        }
    }

    /// The session is to be kept over this port.
    func open(_ port: Port, named name: String, at now: MonotonicTime) {
        hotPlug?.stop()
        hotPlug = nil
        self.name = name
        stage = .open(port)
        openedAt = now
        decoder = Self.newDecoder()
        counted = decoder.counters
        link.opened(name)
        link.tap?.opened(name, at: now)
        if !hasFailed { link.transition(to: .opening) }
        session.begin(at: now, isDirty: leftHalfAFrame, usbSerial: known?.ownSerialNumber)
        leftHalfAFrame = false
        passOn()
        write(to: port, at: now)
    }

    /// The port is no good any more.
    private func lose(_ port: Port, because problem: Problem, at now: MonotonicTime) {
        decoder.reset { handle($0, at: now) }
        countInput(0)
        link.tap?.closed(problem.name, at: now)
        session.end(isCut: true)
        endQuestions()
        leftHalfAFrame = writing.map { $0.done > 0 } ?? false
        writing = nil
        port.close(discardsOutput: true)
        link.transition(to: .lost(problem))
        wait(after: problem, at: now)
    }

    /// Gives the radio up. A radio has one queue of packets for all who listen: a second session would take some away.
    private func leave(because problem: Problem) {
        guard case .open(let port) = stage else { return }
        sayGoodBye(over: port)
        link.transition(to: .lost(problem))
        stage = .waiting(until: nil)
    }

    private func closeIfAsked(at now: MonotonicTime) {
        guard let problem = reopen, case .open(let port) = stage else { return }
        reopen = nil
        lose(port, because: problem, at: now)
    }

    // MARK: Questions

    private func ask(_ question: RadioLink.Question, at now: MonotonicTime) {
        lastToken += 1
        questions[lastToken] = question
        session.ask(question.request, token: lastToken, at: now)
        passOn()
    }

    /// The port is closed, and with it the session.
    private func endQuestions() {
        for question in questions.values { question.completion(.notConnected) }
        questions = [:]
    }

    // MARK: Waiting

    private func wait() {
        var descriptors = [pollfd(fd: link.wakeEvent.descriptor, events: Int16(POLLIN), revents: 0)]
        var deadline: MonotonicTime?
        switch stage {
        case .waiting(let until):
            deadline = until
            if let hotPlug { descriptors.append(pollfd(fd: hotPlug.descriptor, events: Int16(POLLIN), revents: 0)) }
        case .lookingUp(_, let until): deadline = until
        case .connecting(let descriptor, _, let until):
            deadline = until
            descriptors.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0))
        case .open(let port):
            deadline = min(decoder.deadline ?? .max, session.deadline(canWrite: writing == nil) ?? .max)
            let events = POLLIN | (writing == nil ? 0 : POLLOUT)
            descriptors.append(pollfd(fd: port.descriptor, events: Int16(events), revents: 0))
        }
        let due = min(deadline ?? .max, link.expire(at: MonotonicClock.nanoseconds()) ?? .max)
        let asked = MonotonicClock.nanoseconds()
        let count = poll(&descriptors, nfds_t(descriptors.count), timeout(until: due))
        guard count >= 0, descriptors.count > 1 else { return }
        if descriptors[1].revents == 0 {
            silentAt = asked
        } else {
            react(to: Int32(descriptors[1].revents), at: MonotonicClock.nanoseconds())
        }
    }

    /// Milliseconds for poll(2), rounded up; -1 for ever.
    private func timeout(until deadline: MonotonicTime?) -> Int32 {
        guard let deadline, deadline != .max else { return -1 }
        let now = MonotonicClock.nanoseconds()
        return deadline <= now ? 0 : Int32(min((deadline - now + 999_999) / 1_000_000, 86_400_000))
    }

    private func react(to events: Int32, at now: MonotonicTime) {
        switch stage {
        case .waiting:
            hotPlug?.empty()
            search(at: now)
        case .lookingUp: break
        case .connecting(let descriptor, _, _): connectionDecided(descriptor, at: now)
        case .open(let port):
            if events & ~POLLOUT != 0 { read(from: port, at: now) }
            closeIfAsked(at: now)
        }
    }

    // MARK: Bytes in

    private func read(from port: Port, at now: MonotonicTime) {
        let result = input.withUnsafeMutableBytes { port.read(into: $0) }
        switch result {
        case .nothing: break
        case .gone: lose(port, because: goneProblem, at: now)
        case .bytes(let count):
            // Its own array stays here: the decoder copies out what it keeps.
            input.withUnsafeBytes { bytes in
                let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                link.tap?.arrived(bytes)
                decoder.feed(bytes, now: now) { handle($0, at: now) }
            }
            countInput(count)
            link.tap?.handedOn()
        }
    }

    private func handle(_ output: StreamDecoder<FromRadio>.Output, at now: MonotonicTime) {
        link.tap?.decoded(output, at: now)
        switch output {
        case .frame(let message, let raw): session.receive(message, raw: raw, at: now)
        case .text(let line, _):
            session.receive(text: line, at: now)
            link.tell(.debugText(line))
        case .garbage(let count): link.tell(.garbage(count))
        }
        passOn()
    }

    private func passOn() {
        for output in session.drain() {
            switch output {
            case .reopen(let problem): reopen = problem
            case .answered(let token, let outcome): questions.removeValue(forKey: token)?.completion(outcome)
            case .event(.state(let state)):
                link.publish(session)
                if state == .live {
                    wentLive()
                    let frames = session.takeHandshake()
                    link.tap?.live(frames, at: MonotonicClock.nanoseconds())
                    link.ended(frames)
                }
                if state != .configuring || !hasFailed { link.transition(to: state) }
            case .event(let event):
                switch event {
                case .configured:
                    link.publish(session)
                    if hasFailed { link.transition(to: .configuring) }
                case .problem, .solved: link.publish(session)
                default: break
                }
                link.tell(event)
            }
        }
    }

    private func countInput(_ count: Int) {
        let (new, old) = (decoder.counters, counted)
        counted = new
        link.count {
            $0.bytesRead += UInt64(count)
            $0.framesRead += new.frames - old.frames
            $0.textBytes += new.textBytes - old.textBytes
            $0.garbageBytes += new.garbageBytes - old.garbageBytes
        }
    }

    // MARK: Bytes out

    private func write(to port: Port, at now: MonotonicTime) {
        while true {
            if writing == nil {
                let frame = session.nextFrame(at: now) { link.offer(at: now, queueFree: $0) }
                guard let frame else { return }
                writing = (frame, 0)
            }
            switch advanceWriting(to: port) {
            case .done: continue
            case .full: return
            case .gone: return lose(port, because: goneProblem, at: now)
            }
        }
    }

    private enum Progress { case done, full, gone }

    /// Writes what goes in of the frame that is being written.
    private func advanceWriting(to port: Port) -> Progress {
        guard let (frame, done) = writing else { return .done }
        guard let count = port.write(frame.bytes[done...]) else { return .gone }
        let isDone = done + count == frame.bytes.count
        writing = isDone ? nil : (frame, done + count)
        link.count {
            $0.bytesWritten += UInt64(count)
            if isDone { $0.framesWritten += 1 }
        }
        if isDone {
            if let id = frame.packetID { link.tell(.written(id)) }
            link.tap?.wrote(frame.bytes, at: MonotonicClock.nanoseconds())
        }
        return isDone ? .done : .full
    }

    /// Goes on writing for a bounded time.
    ///
    /// - Returns: whether nothing is left to write.
    private func writeRest(to port: Port, centiseconds: Int) -> Bool {
        for _ in 0..<centiseconds where advanceWriting(to: port) == .full { poll(nil, 0, 10) }
        return writing == nil
    }

    /// Ends the frame that is being written and closes the session in good order.
    private func sayGoodBye(over port: Port) {
        if writeRest(to: port, centiseconds: 50) {
            poll(nil, 0, link.address.isSerial ? 25 : 0)
            writing = (RadioSession.Frame(bytes: RadioSession.disconnectFrame, packetID: nil), 0)
        }
        let hasLeft = writeRest(to: port, centiseconds: 20) && port.drain()
        decoder.reset { handle($0, at: MonotonicClock.nanoseconds()) }
        countInput(0)
        link.tap?.closed("closed in good order", at: MonotonicClock.nanoseconds())
        session.end()
        endQuestions()
        leftHalfAFrame = writing.map { $0.done > 0 } ?? false
        writing = nil
        port.close(discardsOutput: !hasLeft)
    }

    private func finish() {
        if case .open(let port) = stage { sayGoodBye(over: port) }
        if case .connecting(let descriptor, _, _) = stage { close(descriptor) }
        hotPlug?.stop()
        link.transition(to: .stopped)
    }
}
