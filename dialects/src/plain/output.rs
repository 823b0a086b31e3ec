//! What programs print: trees of folders, logs, traces, transcripts, reports of tests.

const LINES: &[&str] = &[
    "Traceback (most recent call last)",
    "================ test session",
    "============================= test session",
    "Exception in thread",
    "npm ERR!",
    "npm error",
    "error[E",
    "thread 'main' panicked",
    "panic: ",
    "goroutine ",
    "FAIL\t",
    "--- FAIL:",
    "=== RUN",
    "ok  \t",
    "PASS\n",
    "Compiling ",
    "   Compiling ",
    "    Finished ",
    "Running unittests",
    "running 1 test",
    "Segmentation fault",
    "Uncaught ",
    "Unhandled ",
    "SyntaxError: ",
    "TypeError: ",
    "ReferenceError: ",
    "ImportError: ",
    "ModuleNotFoundError: ",
    "Error: ",
    "ERROR: ",
    "WARNING: ",
    "fatal: ",
    "HTTP/1.1 ",
    "HTTP/2 ",
    "Test Suites:",
    "Ran all test suites",
    "BUILD SUCCESS",
    "BUILD FAILED",
    "Successfully ",
    "Process finished",
];
const SAID: &[&str] = &[
    "error: ",
    "warning: ",
    "note: ",
    "error TS",
    "---- ",
    "On branch ",
    "Your branch ",
    "goos: ",
    "Benchmark",
    "Name  ",
    "TOTAL ",
    "% ",
    "remote: ",
    "hint: ",
];
const MOST: usize = 60;

/// Returns true if `content` is printed by a program; less is enough if no file is named (`named`) and the
/// fence has no `language`.
pub(super) fn is_printed(content: &str, language: &str, named: bool) -> bool {
    let bare = language.is_empty()
        || matches!(language, "text" | "txt" | "plaintext" | "plain" | "tree" | "bash" | "console" | "log");
    if is_tree(content) && (bare || !named) || language.is_empty() && is_indented_tree(content) {
        return true;
    }
    let is_python = matches!(language, "python" | "pycon" | "py");
    if (bare || is_python) && shows_failure(content) {
        return true;
    }
    if !bare {
        return is_python && is_transcript(content);
    }
    let lines = || content.lines().filter(|line| !line.trim().is_empty()).take(MOST);
    let starts =
        |line: &str| LINES.iter().any(|start| line.trim_start().starts_with(start.trim())) || is_error(line);
    if lines().take(2).any(starts) || lines().take(2).any(is_test_result) || is_transcript(content) {
        return true;
    }
    if lines().any(is_prompt) {
        return true;
    }
    // What a test printed stands below its name.
    if lines().next().is_some_and(|line| line.starts_with("---- ") && line.trim_end().ends_with(" ----")) {
        return true;
    }
    let all = lines().count();
    let logged = lines().filter(|line| is_logged(line)).count();
    // Without a file, what a compiler or a tool says is no code.
    let is_message = |line: &str| SAID.iter().any(|start| line.trim_start().starts_with(start));
    if !named && language.is_empty() && lines().take(2).any(is_message) {
        return true;
    }
    logged * 2 > all || !named && all > 1 && lines().filter(|line| is_report(line)).count() * 2 > all
}

// Returns true if `content` is what pytest shows of a failure: the line behind `>`, the error behind `E`, the others deeper.
fn shows_failure(content: &str) -> bool {
    let is_marked =
        |line: &str, mark: &str| line.strip_prefix(mark).is_some_and(|rest| rest.starts_with("   "));
    let mut lines = content.lines().filter(|line| !line.trim().is_empty());
    content.lines().any(|line| is_marked(line, ">"))
        && lines.all(|line| line.starts_with("    ") || is_marked(line, ">") || is_marked(line, "E"))
}

fn is_tree(content: &str) -> bool {
    let (mut drawn, mut all) = (0_usize, 0_usize);
    for line in content.lines().filter(|line| !line.trim().is_empty()).take(MOST) {
        all += 1;
        let text = line.trim_start();
        drawn += usize::from(
            text.contains("├─")
                || text.contains("└─")
                || text.starts_with('│')
                || text.starts_with("|--")
                || text.starts_with("`--")
                || text.starts_with("+--"),
        );
    }
    drawn > 0 && drawn * 3 >= all
}

/// Returns true if `content` lists names of a folder and what is in it, by indentation.
fn is_indented_tree(content: &str) -> bool {
    let mut lines = content.lines().filter(|line| !line.trim().is_empty()).take(MOST);
    let name = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        word.contains(['.', '/'])
            && !word.contains(['(', ')', '=', '{', '}', ';', ':', '"', '\'', '<', '>', ','])
    };
    let is_alone = |line: &str| {
        let rest = line.trim_start().split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start());
        rest.is_empty() || rest.starts_with(['#', '<', '←', '-', '–', '—', '(']) || rest.starts_with("//")
    };
    let Some(first) = lines.next() else { return false };
    let root = first.split_whitespace().next().unwrap_or_default();
    if !root.ends_with('/') || !is_alone(first) {
        return false;
    }
    let (mut count, mut all) = (0_usize, true);
    for line in lines {
        count += usize::from(line.starts_with([' ', '\t']));
        all &= name(line) && is_alone(line);
    }
    all && count > 0
}

fn is_error(line: &str) -> bool {
    let text = line.trim_start();
    let named = text.split_once(": ").is_some_and(|(name, _)| {
        ["Error", "Exception"].iter().any(|end| name.ends_with(end))
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'))
    });
    let compared = ["Expected", "Received"].iter().any(|word| {
        text.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', ' ']) && rest.contains(':'))
    });
    named || compared
}

/// Returns true if `line` gives the result of a test: `tests/a.py::test_b PASSED   [100%]`, `test a::b ... ok`.
fn is_test_result(line: &str) -> bool {
    let text = line.trim();
    let result = ["PASSED", "FAILED", "SKIPPED", "ERROR", "XFAIL", "XPASS"];
    let of_pytest = text.contains("::") && text.split_whitespace().any(|word| result.contains(&word));
    let of_rust = text.starts_with("test ") && text.contains(" ... ");
    of_pytest || of_rust
}

// Returns true if `line` is the prompt of a shell that shows one nowhere else: PowerShell's with its folder, or an arrow.
fn is_prompt(line: &str) -> bool {
    let of_powershell =
        line.strip_prefix("PS ").is_some_and(|rest| rest.contains('>') && rest.contains([':', '/']));
    of_powershell || line.starts_with(['❯', '➜'])
}

fn is_transcript(content: &str) -> bool {
    content
        .lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| line.starts_with(">>> ") || line.starts_with("In [1]"))
}

/// Returns true if `line` begins with a time or a level, as lines of logs do.
fn is_logged(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches('[');
    let digits = text.bytes().take(19).filter(u8::is_ascii_digit).count();
    let time = digits >= 6
        && text.as_bytes().iter().take(19).any(|byte| *byte == b':')
        && text.starts_with(|c: char| c.is_ascii_digit());
    let level = ["INFO", "WARN", "ERROR", "DEBUG", "TRACE"]
        .iter()
        .any(|level| text.starts_with(level) && text[level.len()..].starts_with([' ', ']', ':', '\t']));
    time || level
}

/// Returns true if `line` is one of a report: `3:5  error  …`, `a.py:3: E501 …`, `✓ passes`, `==== a.py ====`.
fn is_report(line: &str) -> bool {
    let text = line.trim_start();
    let marked = text.starts_with(['✓', '✔', '✗', '✘', '✖', '×', '●', '✅', '❌'])
        || text.starts_with("====") && text.ends_with("====");
    let numbers = text.split([' ', '\t']).next().unwrap_or_default();
    let place = numbers
        .split(':')
        .rev()
        .take(2)
        .filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        .count()
        >= 1
        && numbers.contains(':');
    marked || place
}
