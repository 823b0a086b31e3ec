//! Functions of one name: clauses, overloads, accessors, methods beside functions.

use super::by_structure::{Case, check_cases};
use crate::{Part, Reason, merge};

const INBOX: &str = "\
defmodule Inbox do
  alias Post.Letter

  defp check(%Letter{size: size}) when size > 100, do: {:error, :too_large}
  defp check(_letter), do: :ok

  defp warn(%Letter{from: from}, :too_large) do
    IO.puts(from)
  end

  defp warn(_, _), do: :ok

  defp reply(%Letter{} = letter, text) do
    IO.puts(text)
  end

  defp count(letters) do
    length(letters)
  end
end
";
const OVERLOADS: &str = "\
class Sum {
    void add(int one) {
        total += one;
    }

    void add(String text) {
        total += parse(text);
    }

    int get() {
        return total;
    }
}
";
const ACCESSORS: &str = "\
class Box {
  constructor(size) {
    this.inner = size;
  }

  get size() {
    return this.inner;
  }

  set size(value) {
    this.inner = value;
  }
}
";

/// A part: its name, its text, and the replacements in the file that it means or the reason for the refusal.
type PartOf<'c> = (&'c str, &'c str, Result<&'c [(&'c str, &'c str)], Reason>);

/// Asserts that each part, merged into `file`, gives it with the replacements made, or is refused.
pub(super) fn assert_merges(extension: &str, file: &str, parts: &[PartOf<'_>]) {
    let mut failures = String::new();
    for (name, part, wanted) in parts {
        let merged = merge(file, &Part::new(part, extension));
        let is_right = match (&merged, wanted) {
            (Ok(merged), Ok(changes)) => {
                let changed = changes.iter().fold(file.to_owned(), |text, (old, new)| {
                    assert!(text.contains(old), "{name}: {old}");
                    text.replacen(old, new, 1)
                });
                merged.text == changed
            }
            (Err(refused), Err(reason)) => refused.reason == *reason,
            _ => false,
        };
        if !is_right {
            let text = merged.map(|merged| merged.text);
            failures.push_str(&format!(
                "{name}: {}\nnot {wanted:#?}\n",
                text.unwrap_or_else(|error| format!("{error:?}"))
            ));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn regression_one_clause_never_takes_the_place_of_several() {
    assert_merges(
        "ex",
        INBOX,
        &[
            (
                "a wider pattern than those of two clauses",
                "  defp warn(%Letter{} = letter, reason) do\n    Notices.warn(letter, reason)\n  end\n",
                Err(Reason::Ambiguous),
            ),
            (
                "the same with a marker",
                "# ...\n\n  defp warn(letter, reason) do\n    Notices.warn(letter, reason)\n  end\n\n# ...\n",
                Err(Reason::Ambiguous),
            ),
            // Patterns tell clauses apart, not the names in them.
            (
                "another name for a variable",
                "  defp warn(%Letter{from: name}, :too_large) do\n    IO.puts(name)\n  end\n",
                Ok(&[(
                    "warn(%Letter{from: from}, :too_large) do\n    IO.puts(from)",
                    "warn(%Letter{from: name}, :too_large) do\n    IO.puts(name)",
                )]),
            ),
            (
                "a further clause, in front of the one that takes all",
                "# ...\n  defp warn(%Letter{from: from}, :lost) do\n    IO.inspect(from)\n  end\n# ...\n",
                Ok(&[(
                    "  defp warn(_, _), do: :ok\n",
                    "  defp warn(%Letter{from: from}, :lost) do\n    IO.inspect(from)\n  end\n\n  defp warn(_, _), do: :ok\n",
                )]),
            ),
            (
                "a plain parameter for the pattern of the only clause",
                "# ...\n  defp reply(letter, text) do\n    message = %{to: letter.from, text: text}\n    Sender.send(message)\n  end\n# ...\n",
                Ok(&[(
                    "  defp reply(%Letter{} = letter, text) do\n    IO.puts(text)\n",
                    "  defp reply(letter, text) do\n    message = %{to: letter.from, text: text}\n    Sender.send(message)\n",
                )]),
            ),
            (
                "another parameter with a default, in several clauses",
                "# ...\n  defp count(letters, opts \\\\ [])\n\n  defp count([], _opts), do: 0\n\n  defp count(letters, opts) do\n    length(letters) + opts[:more]\n  end\n# ...\n",
                Ok(&[(
                    "  defp count(letters) do\n    length(letters)\n  end\n",
                    "  defp count(letters, opts \\\\ [])\n\n  defp count([], _opts), do: 0\n\n  defp count(letters, opts) do\n    length(letters) + opts[:more]\n  end\n",
                )]),
            ),
            (
                "another number of parameters",
                "# ...\n  defp count(letters, kind) do\n    Enum.count(letters, kind)\n  end\n# ...\n",
                Err(Reason::Ambiguous),
            ),
            (
                "all clauses, and one more",
                "  defp check(%Letter{size: size}) when size > 200, do: {:error, :too_large}\n  defp check(%Letter{size: 0}), do: {:error, :empty}\n  defp check(_letter), do: :ok\n",
                Ok(&[(
                    "  defp check(%Letter{size: size}) when size > 100, do: {:error, :too_large}\n",
                    "  defp check(%Letter{size: size}) when size > 200, do: {:error, :too_large}\n  defp check(%Letter{size: 0}), do: {:error, :empty}\n",
                )]),
            ),
        ],
    );
}

#[test]
fn regression_one_overload_never_takes_the_place_of_several() {
    let java = [
        (
            "an overload with other names",
            "    void add(final int number) {\n        total += number;\n    }\n",
            Ok(&[(
                "void add(int one) {\n        total += one;",
                "void add(final int number) {\n        total += number;",
            )][..]),
        ),
        ("another type", "    void add(long one) {\n        total += one;\n    }\n", Err(Reason::Ambiguous)),
        (
            "all of them, and one more",
            "    void add(int one) {\n        total += one;\n    }\n\n    void add(long one) {\n        total += (int) one;\n    }\n\n    void add(String text) {\n        total += parse(text);\n    }\n",
            Ok(&[(
                "    void add(String",
                "    void add(long one) {\n        total += (int) one;\n    }\n\n    void add(String",
            )][..]),
        ),
    ];
    assert_merges("java", OVERLOADS, &java);
    assert_merges("cs", OVERLOADS, &java[1..]);
    let kotlin = "class Sum {\n    fun add(one: Int) {\n        total += one\n    }\n\n    fun add(text: String) {\n        total += parse(text)\n    }\n}\n";
    assert_merges(
        "kt",
        kotlin,
        &[
            (
                "an overload with another name",
                "    fun add(words: String) {\n        total += parse(words)\n    }\n",
                Ok(&[(
                    "fun add(text: String) {\n        total += parse(text)",
                    "fun add(words: String) {\n        total += parse(words)",
                )]),
            ),
            (
                "another type",
                "    fun add(one: Long) {\n        total += one\n    }\n",
                Err(Reason::Ambiguous),
            ),
        ],
    );
    // Declarations of overloads look like one another but for a type.
    let script = "export function size(one: string): number;\nexport function size(one: number): string;\nexport function size(one: unknown): unknown {\n  return measure(one);\n}\n";
    assert_merges(
        "ts",
        script,
        &[("another overload alone", "export function size(one: Date): number;\n", Err(Reason::Ambiguous))],
    );
}

#[test]
fn regression_a_setter_is_not_a_getter() {
    let set = "  set size(value) {\n    this.inner = value;\n  }\n\n";
    let getter = ACCESSORS
        .replace(set, "")
        .replace("    return this.inner;\n  }\n\n}", "    return this.inner;\n  }\n}");
    assert_merges(
        "js",
        ACCESSORS,
        &[(
            "the setter with another parameter",
            "  set size(next) {\n    this.inner = Math.max(0, next);\n  }\n",
            Ok(&[(
                "set size(value) {\n    this.inner = value;",
                "set size(next) {\n    this.inner = Math.max(0, next);",
            )]),
        )],
    );
    let merged = merge(
        &getter,
        &Part::new("class Box {\n  // ...\n  set size(next) {\n    this.inner = next;\n  }\n}\n", "js"),
    );
    assert!(merged.as_ref().is_ok_and(|merged| merged.text.contains("get size()")), "{merged:?}");
    let property = "class Box:\n    @property\n    def size(self):\n        return self.inner\n\n    @size.setter\n    def size(self, value):\n        self.inner = value\n";
    assert_merges(
        "py",
        property,
        &[(
            "the setter with another parameter",
            "    @size.setter\n    def size(self, next):\n        self.inner = max(0, next)\n",
            Ok(&[(
                "def size(self, value):\n        self.inner = value",
                "def size(self, next):\n        self.inner = max(0, next)",
            )]),
        )],
    );
    let overload = "@overload\ndef size(one: str) -> int: ...\n@overload\ndef size(one: int) -> str: ...\ndef size(one):\n    return measure(one)\n";
    assert_merges(
        "py",
        overload,
        &[(
            "the implementation with another parameter",
            "def size(one, unit=None):\n    return measure(one, unit)\n",
            Ok(&[(
                "def size(one):\n    return measure(one)",
                "def size(one, unit=None):\n    return measure(one, unit)",
            )]),
        )],
    );
}

#[test]
fn regression_a_function_does_not_replace_a_method_of_its_name() {
    const CASES: &[Case] = &[
        (
            "a function without `self`",
            "py",
            "class Cleaner:\n    def clean(self):\n        limit = self.days\n        return limit\n\n    def run(self):\n        print(self.clean())\n",
            "def clean(name, days=7):\n    for entry in os.listdir(name):\n        os.remove(entry)\n",
            Err(Reason::NoPlace),
        ),
        (
            "a function of a script",
            "js",
            "class Cleaner {\n  clean() {\n    return this.days;\n  }\n}\n",
            "function clean(name) {\n  return remove(name);\n}\n",
            Err(Reason::NoPlace),
        ),
        (
            "a function of Rust",
            "rs",
            "impl Cleaner {\n    fn clean(&self) -> u32 {\n        self.days\n    }\n}\n",
            "fn clean(name: &str) -> u32 {\n    remove(name)\n}\n",
            Err(Reason::NoPlace),
        ),
        (
            "a method without its indentation",
            "py",
            "class Cleaner:\n    def clean(self):\n        return self.days\n",
            "def clean(self, days):\n    return days\n",
            Ok("class Cleaner:\n    def clean(self, days):\n        return days\n"),
        ),
        (
            "a static method without its indentation",
            "py",
            "class Cleaner:\n    @staticmethod\n    def clean(name):\n        return name\n",
            "@staticmethod\ndef clean(name, days):\n    return days\n",
            Ok("class Cleaner:\n    @staticmethod\n    def clean(name, days):\n        return days\n"),
        ),
    ];
    check_cases(CASES);
}
