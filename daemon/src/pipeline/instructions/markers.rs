//! CSL, CML and replacer: dialects whose operations stand between markers of their own.

use super::{EXACT, REFUSED};

pub(super) fn csl() -> String {
    format!(
        "\
To change files of the project, write CSL operations. They are found in your answer and carried out in order. Text
around them is free, and they may stand in a code fence.

    <---WRITE file=\"{REFUSED}/src/main.py\"--->
    the whole content of the file
    <---END--->

    <---SEARCH file=\"{REFUSED}/src/main.py\" count=\"1\"--->
    the content
    <---REPLACE--->
    another content
    <---END--->

    <---SEARCH file=\"{REFUSED}/src/main.py\"--->
    def first():
    <---TO--->
        return 1
    <---REPLACE--->
    <---END--->

    <---TASKS--->
    <---WRITE file=\"{REFUSED}/log.txt\" append=\"true\"--->
    one more line
    <---END--->
    <---END--->

Rules:
- Markers stand alone on their lines, in the first column (they are indented here only to be shown). An answer with a
  broken marker is not carried out at all.
- WRITE creates or replaces a file; with append=\"true\" it adds to the end of it.
- SEARCH replaces text; count is how often it has to occur (a number, or \"all\"; 1 if it is left out). With TO, what
  goes is everything from the first text through the nearest second one.
- TASKS is done whole or not at all.
- RUN holds one command, without a shell. rm, mv, cp and mkdir are done at once; others wait for a person's approval.
- Attributes are quoted; inside, \\\" is a quote and \\\\ a backslash. Paths are absolute, or relative to the project.
{EXACT}"
    )
}

pub(super) fn cml() -> String {
    format!(
        "\
To change files of the project, write CML elements. They are found in your answer and carried out in order. Text
around them is free, and they may stand in a code fence.

    <tasks version=\"1.0\">
    <write path=\"{REFUSED}/src/main.py\"><![CDATA[the whole content of the file,
    which begins right after the bracket and ends right before the next
    ]]></write>
    <edit path=\"{REFUSED}/src/main.py\" count=\"1\">
    <search><![CDATA[the content]]></search>
    <replace><![CDATA[another content]]></replace>
    </edit>
    <edit path=\"{REFUSED}/src/main.py\">
    <search-start><![CDATA[def first():]]></search-start>
    <search-end><![CDATA[return 1]]></search-end>
    <replace><![CDATA[pass]]></replace>
    </edit>
    </tasks>

Rules:
- Elements begin their lines (they are indented here only to be shown). Texts stand in CDATA; write ]]&gt; for its end.
- The tasks of a block are done in order; the first that fails ends the block. A task without a block stands alone.
- write creates or replaces a file; append=\"true\" adds to the end of it.
- edit replaces text; count is how often it has to occur (1 if it is left out). With search-start and search-end, what
  goes is everything from the first text through the nearest second one. Neither text may be empty.
- run holds one command, without a shell. rm, mv, cp and mkdir are done at once; others wait for a person's approval.
- Paths are relative to the project, or absolute.
{EXACT}"
    )
}

pub(super) fn replacer() -> String {
    format!(
        "\
To change files of the project, write edits in the following form. They are found in your answer and carried out in
order. Text around them is free, and they may stand in a code fence.

    <<<EXPLANATION>>>
    why, if there is something to say
    <<<FILE>>>
    {REFUSED}/src/main.py
    <<<SEARCH>>>
    the content
    <<<REPLACE>>>
    another content
    <<<END>>>

    <<<FILE>>>
    {REFUSED}/src/new.py
    <<<OVERWRITE>>>
    the whole content of the file
    <<<END>>>

Rules:
- Markers stand alone on their lines (they are indented here only to be shown). A text cannot hold a marker.
- Every edit begins with its own FILE and path, also if it is of the same file as the one before.
- SEARCH and REPLACE change one place. An empty REPLACE deletes the text, and its lines if it is whole lines.
- OVERWRITE creates or replaces a file, and its folders.
- Paths are relative to the project, or absolute.
{EXACT}"
    )
}
