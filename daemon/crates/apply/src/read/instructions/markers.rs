//! CSL, CML and replacer: dialects whose operations stand between markers of their own.

use super::lesson::Lesson;

pub(super) fn csl() -> Lesson {
    Lesson {
        opening: "CSL operations",
        examples: "    <---WRITE file=\"src/new.py\"--->
    the whole content of the file
    <---END--->

    <---SEARCH file=\"src/example.py\"--->
        print(message)
    <---REPLACE--->
        return message
    <---END--->

    <---SEARCH file=\"src/example.py\"--->
    def leave(name):
    <---TO--->
        pass
    <---REPLACE--->
    <---END--->

    <---RUN--->
    mv src/a.py src/b.py
    <---END--->

    <---RUN--->
    rm src/old.py
    <---END--->
",
        rules: "\
- Markers stand alone on their lines, in the first column (they are indented here only to be shown). An answer with a
  broken marker is not carried out at all.
- WRITE creates or replaces a file, whose last line ends with a newline by itself; with append=\"true\" it adds to the
  end of the file.
- SEARCH replaces a text that occurs once, or as often as count=\"2\" or count=\"all\" says. With TO, what goes is
  everything from the first text through the nearest second one, both included. REPLACE without text deletes, whole
  lines with their ends.
- RUN holds one command, without a shell. rm (also to delete a file), mv (to move one), cp, mkdir and what only reads
  (grep, ls, cat, head, git diff) are done at once: look where you are not sure.
- Operations between <---TASKS---> and <---END---> are done whole or not at all.
- Attributes stand in quotes; inside, \\\" is a quote and \\\\ a backslash. Paths are relative to the project.
- A text cannot hold such a marker alone on a line: change that file by a patch (*** Begin Patch) in the same answer.
",
        actions: String::new(),
    }
}

pub(super) fn cml() -> Lesson {
    Lesson {
        opening: "CML elements",
        examples: "    <tasks version=\"1.0\">
    <write path=\"src/new.py\"><![CDATA[
    the whole content of the file
    ]]></write>
    <edit path=\"src/example.py\">
    <search><![CDATA[print(message)]]></search>
    <replace><![CDATA[return message]]></replace>
    </edit>
    <edit path=\"src/example.py\">
    <search-start><![CDATA[def leave(name):]]></search-start>
    <search-end><![CDATA[pass]]></search-end>
    <replace><![CDATA[leave = None]]></replace>
    </edit>
    <run>mv src/a.py src/b.py</run>
    <run>rm src/old.py</run>
    </tasks>
",
        rules: "\
- Elements begin their lines (they are indented here only to be shown). Texts stand in CDATA, verbatim; ]]&gt; is
  written for its end, and nothing else is escaped. There are no other elements.
- The tasks of a block are done in order; the first that fails ends the block. A task may stand without <tasks>.
- write creates or replaces a file, whose last line ends with a newline by itself; append=\"true\" adds to its end.
- edit replaces a text that occurs once, or as often as count=\"2\" says. With search-start and search-end, what goes is
  everything from the first text through the nearest second one, both included. A replace cannot be empty: to delete a
  text, search for it with a line next to it, and replace both by that line.
- In write, the newline right after <![CDATA[ does not count.
- run holds one command, without a shell. rm (also to delete a file), mv (to move one), cp, mkdir and what only reads
  (grep, ls, cat, head, git diff) are done at once: look where you are not sure.
- Paths are relative to the project.
",
        actions: String::new(),
    }
}

pub(super) fn replacer() -> Lesson {
    Lesson {
        opening: "edits in the following form",
        examples: "    <<<FILE>>>
    src/new.py
    <<<OVERWRITE>>>
    the whole content of the file
    <<<END>>>

    <<<EXPLANATION>>>
    why, if there is something to say
    <<<FILE>>>
    src/example.py
    <<<SEARCH>>>
        print(message)
    <<<REPLACE>>>
        return message
    <<<END>>>
",
        rules: "\
- Markers stand alone on their lines, as they are (they are indented here only to be shown).
- Every edit begins with its own FILE and path, also if it is of the same file as the one before.
- SEARCH and REPLACE change one place. An empty REPLACE deletes the text, whole lines with their ends.
- OVERWRITE creates or replaces a file, whose last line ends with a newline by itself.
- Paths are relative to the project.
- This form cannot delete or move a file, nor hold a text with one of its markers: write a patch for that, in the same
  answer:
    *** Begin Patch
    *** Delete File: src/old.py
    *** Update File: src/a.py
    *** Move to: src/b.py
    *** End Patch
",
        actions: String::new(),
    }
}
