/// A shell that completes words.
public enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    /// The script by which it completes the words of a program: it asks the program (`Completer`).
    ///
    /// What a program answers is data to the shell. It never becomes code: it is read line by line into an array, and the
    /// shell quotes what it puts into the command line.
    ///
    /// - Parameter program: the name that is typed; letters and dashes.
    public func completionScript(for program: String) -> String {
        switch self {
        case .bash:
            """
            _\(program)() {
                local word
                COMPREPLY=()
                while IFS= read -r word; do
                    if [ "$word" = \(Completer.files) ]; then
                        compopt -o default 2>/dev/null
                    else
                        COMPREPLY+=("$word")
                    fi
                done < <("${COMP_WORDS[0]}" \(BuiltIn.complete) bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
                # readline quotes blanks of file names only.
                compopt -o filenames 2>/dev/null
                case ${COMPREPLY[0]-} in *: | *=) compopt -o nospace 2>/dev/null ;; esac
            }
            complete -o nosort -F _\(program) \(program)

            """
        case .zsh:
            """
            #compdef \(program)
            _\(program)() {
                local line
                local -a words_found texts
                for line in "${(@f)$("${(Q)words[1]}" \(BuiltIn.complete) zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
                    if [[ $line == \(Completer.files) ]]; then
                        _files
                    elif [[ -n $line ]]; then
                        words_found+=("${line%%$'\\t'*}")
                        texts+=("${line/$'\\t'/  }")
                    fi
                done
                (( $#words_found )) && compadd -l -V words -d texts -a words_found
            }
            if [ "$funcstack[1]" = "_\(program)" ]; then
                _\(program) "$@"
            else
                compdef _\(program) \(program)
            fi

            """
        case .fish:
            """
            function __\(program)_complete
                set -l words (commandline -opc)
                set -l typed (commandline -ct)
                for word in ($words[1] \(BuiltIn.complete) fish $words[2..] "$typed" 2>/dev/null)
                    if test "$word" = \(Completer.files)
                        __fish_complete_path (commandline -ct)
                    else
                        printf '%s\\n' $word
                    end
                end
            end
            complete -c \(program) -f -k -a '(__\(program)_complete)'

            """
        }
    }
}
