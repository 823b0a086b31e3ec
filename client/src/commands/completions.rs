//! `completions`: prints the script that completes commands, flags and values in a shell.
//!
//! clap writes the script, which knows no values that change. Where one is expected, the script is made to call
//! `complete`: by a few lines after it, or, where its text says what each argument is, in their places.

use clap_complete::aot::{Bash, Elvish, Fish, Generator, Zsh};
use clap_complete_nushell::Nushell;

use crate::Process;
use crate::args::{self, Shell};
use crate::exit::{Failure, Status};
use crate::output::print;

const PROGRAM: &str = "PROGRAM";

const BASH: &str = r#"
_PROGRAM_values() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" kind=
    case "${before}" in
        --session) kind=sessions ;;
        --resume|undo|u|redo) kind=operations ;;
        get|set) case " ${COMP_WORDS[*]} " in *" config "*) kind=settings ;; esac ;;
        show) case " ${COMP_WORDS[*]} " in *" history "*|*" h "*) kind=operations ;; esac ;;
    esac
    if [[ -n "${kind}" && "${word}" != -* ]]; then
        # Not compgen -W: it expands its words, and a value such as $(…) would run.
        COMPREPLY=()
        local value
        while IFS=$'\t' read -r value _; do
            [[ "${value}" == "${word}"* ]] || continue
            printf -v value %q "${value}"
            COMPREPLY+=("${value}")
        done < <(PROGRAM complete "${kind}" 2>/dev/null)
    else
        _PROGRAM "$@"
    fi
}
complete -F _PROGRAM_values -o bashdefault -o default PROGRAM
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _PROGRAM_values -o nosort -o bashdefault -o default PROGRAM
fi
"#;

const FISH: &str = r#"
complete -c PROGRAM -l session -x -a "(PROGRAM complete sessions 2>/dev/null)"
complete -c PROGRAM -n "__fish_PROGRAM_using_subcommand apply" -l resume -x -a "(PROGRAM complete operations 2>/dev/null)"
complete -c PROGRAM -n "__fish_PROGRAM_using_subcommand a" -l resume -x -a "(PROGRAM complete operations 2>/dev/null)"
complete -c PROGRAM -n "__fish_PROGRAM_using_subcommand undo" -f -k -a "(PROGRAM complete operations 2>/dev/null)"
complete -c PROGRAM -n "__fish_PROGRAM_using_subcommand u" -f -k -a "(PROGRAM complete operations 2>/dev/null)"
complete -c PROGRAM -n "__fish_PROGRAM_using_subcommand redo" -f -k -a "(PROGRAM complete operations 2>/dev/null)"
complete -c PROGRAM -n "__fish_seen_subcommand_from config; and __fish_seen_subcommand_from get set" -f -k -a "(PROGRAM complete settings 2>/dev/null)"
complete -c PROGRAM -n "__fish_seen_subcommand_from history h; and __fish_seen_subcommand_from show" -f -k -a "(PROGRAM complete operations 2>/dev/null)"
"#;

const ELVISH: &str = r#"
var PROGRAM-words~ = $edit:completion:arg-completer[PROGRAM]
set edit:completion:arg-completer[PROGRAM] = {|@words|
    var before = $words[-2]
    var kind = ''
    if (eq $before '--session') {
        set kind = sessions
    } elif (or (eq $before '--resume') (eq $before undo) (eq $before u) (eq $before redo)) {
        set kind = operations
    } elif (and (eq $before show) (or (has-value $words history) (has-value $words h))) {
        set kind = operations
    } elif (and (or (eq $before get) (eq $before set)) (has-value $words config)) {
        set kind = settings
    }
    if (or (eq $kind '') (str:has-prefix $words[-1] '-')) {
        PROGRAM-words $@words
    } else {
        try {
            PROGRAM complete $kind 2>/dev/null | each {|line|
                edit:complex-candidate (str:split "\t" $line | take 1) &display=(str:replace "\t" ' ' $line)
            }
        } catch { nop }
    }
}
"#;

const ZSH: &str = r#"
_PROGRAM_values() {
    local -a values
    values=(${${${(f)"$(PROGRAM complete $1 2>/dev/null)"}//:/\\:}/$'\t'/:})
    _describe -V -t $1 $1 values
}
_PROGRAM_operations() { _PROGRAM_values operations }
_PROGRAM_sessions() { _PROGRAM_values sessions }
_PROGRAM_settings() { _PROGRAM_values settings }
"#;

const NUSHELL: &str = r#"
def "nu-complete PROGRAM values" [kind: string] {
  do --ignore-errors { ^PROGRAM complete $kind } | default "" | lines | each {|line|
    let parts = ($line | split row --number 2 "\t")
    {value: $parts.0, description: ($parts | get --optional 1 | default "")}
  }
}
def "nu-complete PROGRAM operations" [] { nu-complete PROGRAM values operations }
def "nu-complete PROGRAM sessions" [] { nu-complete PROGRAM values sessions }
def "nu-complete PROGRAM settings" [] { nu-complete PROGRAM values settings }

"#;

pub(super) fn run(process: &mut Process, shell: Shell) -> Result<Status, Failure> {
    let text = script(shell, args::called(process));
    print(process, &text)?;
    Ok(Status::Ok)
}

fn script(shell: Shell, name: &str) -> String {
    let ours = |text: &str| text.replace(PROGRAM, name);
    match shell {
        Shell::Bash => generated(Bash, name) + &ours(BASH),
        Shell::Fish => generated(Fish, name) + &ours(FISH),
        Shell::Elvish => generated(Elvish, name) + &ours(ELVISH),
        Shell::Zsh => {
            let script = generated(Zsh, name);
            let (first, rest) = script.split_once('\n').unwrap_or((&script, ""));
            let lines = rest.lines().map(|line| match zsh_kind(line) {
                Some(kind) => line.replacen(":_default'", &format!(":_{name}_{kind}'"), 1),
                None => line.to_owned(),
            });
            format!("{first}\n{}{}\n", ours(ZSH), lines.collect::<Vec<_>>().join("\n"))
        }
        Shell::Nushell => {
            let script = generated(Nushell, name);
            let lines = script.lines().map(|line| match nushell_kind(line) {
                Some(kind) => {
                    line.replacen(": string", &format!(": string@\"nu-complete {name} {kind}\""), 1)
                }
                None => line.to_owned(),
            });
            format!("{}{}\n", ours(NUSHELL), lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

fn zsh_kind(line: &str) -> Option<&'static str> {
    match line {
        _ if line.contains("--session=[") => Some("sessions"),
        _ if line.contains("key -- ") => Some("settings"),
        _ if line.contains("--resume=[") || line.contains("::operation -- ") => Some("operations"),
        _ => None,
    }
}

fn nushell_kind(line: &str) -> Option<&'static str> {
    match line.trim_start() {
        line if line.starts_with("--session: string") => Some("sessions"),
        line if line.starts_with("key: string") => Some("settings"),
        line if line.starts_with("--resume: string") || line.starts_with("operation?: string") => {
            Some("operations")
        }
        _ => None,
    }
}

fn generated(generator: impl Generator, name: &str) -> String {
    let mut script = Vec::new();
    clap_complete::aot::generate(generator, &mut args::command(), name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_asks_for_the_values_that_change_wherever_one_is_expected() {
        for (shell, operations, sessions) in [
            (Shell::Zsh, ":_clada_operations'", ":_clada_sessions'"),
            (
                Shell::Nushell,
                "string@\"nu-complete clada operations\"",
                "string@\"nu-complete clada sessions\"",
            ),
        ] {
            let script = script(shell, "clada");
            // `undo`, `redo`, `history show`, and `--resume`; `--session` is a flag of every command.
            assert!(script.matches(operations).count() >= 4, "{shell:?}");
            assert!(script.matches(sessions).count() > 20, "{shell:?}");
        }
        for shell in [Shell::Bash, Shell::Fish, Shell::Elvish, Shell::Zsh, Shell::Nushell] {
            let script = script(shell, "clada-client");
            assert!(script.contains("clada-client complete"), "{shell:?}");
            assert!(!script.contains(PROGRAM), "{shell:?}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a shell of the test's own")]
    fn regression_bash_quotes_values_and_runs_none() {
        let stub = r#"
clada() { printf '%s\tmeaning\n' plain '$(echo ran >&2)' '`echo ran >&2`' 'two words' "it's" 'a\b'; }
COMP_WORDS=(clada --session ""); COMP_CWORD=2
_clada_values clada "" --session
printf '%s\n' "${COMPREPLY[@]}"
COMP_WORDS[2]=pl
_clada_values clada pl --session
printf '%s\n' "${COMPREPLY[@]}"
"#;
        let text = script(Shell::Bash, "clada") + stub;
        let bash = std::process::Command::new("bash").args(["--norc", "--noprofile", "-c", &text]).output();
        let Ok(output) = bash else {
            eprintln!("skipped: there is no bash here");
            return;
        };
        let quoted = [
            "plain",
            r"\$\(echo\ ran\ \>\&2\)",
            r"\`echo\ ran\ \>\&2\`",
            r"two\ words",
            r"it\'s",
            r"a\\b",
            "plain",
        ];
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().collect::<Vec<_>>(), quoted, "{errors}");
        assert_eq!(errors, "");
    }
}
