import CSQLite
import Glibc
import Platform

extension Store {
    /// Copies a database into one file, beside a running daemon or without one, checks the copy, seals it and gives it its
    /// name.
    ///
    /// - Parameters:
    ///   - path: of a database of ours, of this format or an older one.
    ///   - progress: called now and then.
    /// - Throws: a ``StoreError`` about the database, a ``FileError`` about the backup.
    public static func backUp(
        _ path: String, to file: UnfinishedFile, progress: (CopyProgress) -> Void = { _ in }
    ) throws -> CopiedDatabase {
        let source = try openAsItIs(path: path)
        guard source.format > 0 else { throw StoreError.missing(path: source.path) }
        do {
            var copied = try DatabaseCopy.make(
                of: source.connection, at: source.path, into: file, progress: progress)
            try Seal.set(on: file.descriptor, path: file.path)
            copied.bytes += Int64(Seal.length)
            try file.publish()
            return copied
        } catch let error as StoreError {
            throw error.named(source.path)
        }
    }

    /// A database of ours, of any format up to this one's, for reading only.
    ///
    /// - Parameter isInUse: false: nobody writes to it and it has no log, so that it is read without making files beside it.
    /// - Throws: a ``StoreError`` whose description is a sentence for people.
    static func openAsItIs(
        path given: String, isInUse: Bool = true
    ) throws(StoreError) -> (
        connection: DatabaseConnection, access: DatabaseConnection.Access, path: String, format: Int
    ) {
        guard let path = realPath(given) else {
            throw errno == ENOENT ? .missing(path: given) : DatabaseFile.refusal(errno, path: given)
        }
        guard Glibc.access(path, R_OK) == 0 else { throw DatabaseFile.refusal(errno, path: path) }
        func open(_ access: DatabaseConnection.Access) throws(StoreError) -> (DatabaseConnection, Int) {
            let connection = try ReaderPool.open(path, access)
            return (connection, try Migration.check(connection, path: path))
        }
        do throws(StoreError) {
            // Without a writer's `-shm` file SQLite makes one. Where that does not go, there is no writer either, or it is
            // not ours to disturb: then the files are taken as they are.
            do throws(StoreError) {
                let (connection, format) = try open(isInUse ? .readOnly : .immutable)
                return (connection, isInUse ? .readOnly : .immutable, path, format)
            } catch {
                guard case .failed(let code, _, _) = error,
                    [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_FULL, SQLITE_IOERR].contains(code & 0xFF)
                else { throw error }
                let access = isInUse ? ReaderPool.accessWithoutWriter(path) : .immutable
                let (connection, format) = try open(access)
                return (connection, access, path, format)
            }
        } catch {
            throw error.named(path)
        }
    }
}
