//! The signs of other voices: the table of the texts by which each begins and ends.
//!
//! Knows one line at a time; [`crate::voices`] finds the ends.

/// A kind of voice: the text that a line begins with, the texts of which the next one ends it, its name in
/// messages.
pub(crate) struct Voice {
    pub(crate) open: &'static str,
    pub(crate) close: &'static [&'static str],
    pub(crate) name: &'static str,
    /// True if `open` is all of the line.
    pub(crate) alone: bool,
}

const fn voice(open: &'static str, close: &'static [&'static str], name: &'static str) -> Voice {
    Voice { open, close, name, alone: false }
}

const fn line(open: &'static str, close: &'static [&'static str], name: &'static str) -> Voice {
    Voice { open, close, name, alone: true }
}

pub(crate) const VOICES: &[Voice] = &[
    voice("<thought>", &["</thought>"], THINKING),
    voice("<seed:think>", &["</seed:think>"], THINKING),
    voice("[THINK]", &["[/THINK]"], THINKING),
    voice("◁think▷", &["◁/think▷"], THINKING),
    voice("<|channel|>analysis", &["<|end|>", "<|channel|>final", "<|return|>"], THINKING),
    voice("<|channel|>commentary", &["<|end|>", "<|channel|>final", "<|call|>"], THINKING),
    voice("<|start|>assistant<|channel|>analysis", &["<|end|>", "<|channel|>final"], THINKING),
    voice("<details type=\"reasoning\"", &["</details>"], THINKING),
    voice("<scratchpad>", &["</scratchpad>"], THINKING),
    voice("<antThinking>", &["</antThinking>"], THINKING),
    voice("<antthinking>", &["</antthinking>"], THINKING),
    line("Thinking...", &["\n...done thinking."], THINKING),
    voice("Thought for ", &["\nDone thinking"], THINKING),
    voice("**Thinking", &["\n**Answer", "\n**Response", "\n**Final answer"], THINKING),
    voice("<function_results>", &["</function_results>"], RESULT),
    voice("<function_result>", &["</function_result>"], RESULT),
    voice("<tool_response>", &["</tool_response>"], RESULT),
    voice("<tool_result>", &["</tool_result>"], RESULT),
    voice("<tool_output>", &["</tool_output>"], RESULT),
    voice("<output>", &["</output>"], RESULT),
    voice("<stdout>", &["</stdout>"], RESULT),
    voice("<stderr>", &["</stderr>"], RESULT),
    voice("<blockquote>", &["</blockquote>"], "a quotation"),
    voice("<documents>", &["</documents>"], "a document that was sent"),
    voice("<document>", &["</document>"], "a document that was sent"),
    voice("<document ", &["</document>"], "a document that was sent"),
    voice(PACK, &["\n</files>"], "a document that was sent"),
    voice("<system-reminder>", &["</system-reminder>"], "a document that was sent"),
    voice("<example>", &["</example>"], "an example"),
    voice("<examples>", &["</examples>"], "an example"),
    voice("---------- Forwarded message", &["\n---------- End of forwarded message"], "a quotation"),
    voice("<!--", &["-->"], "a comment"),
    line("You said:", &["\nChatGPT said:", "\nClaude said:", "\nGemini said:", "\nCopilot said:"], USER),
    line("**You:**", ANSWERERS, USER),
    line("**User:**", ANSWERERS, USER),
    line("## User", &["\n## Assistant", "\n## ChatGPT", "\n## Claude", "\n## Response"], USER),
    line("### User", &["\n### Assistant", "\n### ChatGPT", "\n### Claude", "\n### Response"], USER),
    line("**User**", ANSWERERS, USER),
    line("**You**", ANSWERERS, USER),
    line("**Du:**", ANSWERERS, USER),
    line("**Vous :**", ANSWERERS, USER),
    line("**Tú:**", ANSWERERS, USER),
    line("**Human:**", ANSWERERS, USER),
    voice("**User:** ", ANSWERERS, USER),
    voice("**You:** ", ANSWERERS, USER),
    line("_**User**_", &["\n_**Assistant", "\n_**Agent", "\n_**AI"], USER),
    voice("_**User (", &["\n_**Assistant", "\n_**Agent", "\n_**AI"], USER),
    voice("<|im_start|>user", &["<|im_end|>"], USER),
    voice("<|im_start|>system", &["<|im_end|>"], USER),
    voice("<|start_header_id|>user", &["<|eot_id|>"], USER),
    voice("[INST]", &["[/INST]"], USER),
    voice("<user>", &["</user>"], USER),
    line("## Prompt:", RESPONSES, USER),
    line("## Prompt", RESPONSES, USER),
    voice("Q: ", &["\nA: ", "\nA:\n"], USER),
    line("User:", &["\nAssistant:", "\nAI:", "\nChatGPT:"], USER),
    voice(TURN, &["\nAssistant:", "\nA:", "\n**Assistant:**"], USER),
];
const THINKING: &str = "thinking";
const RESULT: &str = "the result of a tool";
pub(crate) const TURN: &str = "Human:";
pub(crate) const PACK: &str = "This file is a merged representation of ";
const USER: &str = "a turn of the user";
const RESPONSES: &[&str] = &["\n## Response", "\n## Answer"];
const ANSWERERS: &[&str] = &[
    "\n**Assistant**",
    "\n**ChatGPT**",
    "\n**Claude**",
    "\n**Gemini**",
    "\n**Copilot**",
    "\n**ChatGPT:**",
    "\n**Claude:**",
    "\n**Gemini:**",
    "\n**Copilot:**",
    "\n**Assistant:**",
    "\n**AI:**",
];

// Most lines are not a voice by their first byte, and most others by their first three.
pub(crate) static FIRST: [bool; 256] = {
    let (mut all, mut index) = ([false; 256], 0);
    while index < VOICES.len() {
        all[VOICES[index].open.as_bytes()[0] as usize] = true;
        index += 1;
    }
    all
};
// The first voice with each beginning, by its first three bytes; their number for those that none has.
static BEGINNINGS: [u8; BEGUN] = {
    let (mut all, mut index) = ([VOICES.len() as u8; BEGUN], VOICES.len());
    while index > 0 {
        index -= 1;
        let open = VOICES[index].open.as_bytes();
        all[beginning(open[0], open[1], open[2])] = index as u8;
    }
    all
};
const BEGUN: usize = 1024;

const fn beginning(first: u8, second: u8, third: u8) -> usize {
    ((first as usize * 0x25) ^ (second as usize * 0x83) ^ (third as usize * 0x7)) % BEGUN
}

/// The next end of each voice, sought once for each place: the text is read a bounded number of times.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) next: [Option<usize>; VOICES.len()],
    /// The number of documents whose end was sought and missing, bounded.
    pub(crate) missing: usize,
    /// True if more sentences stand above than outside of a fence around an answer.
    pub(crate) much_above: bool,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { next: [None; VOICES.len()], missing: 0, much_above: false }
    }
}

/// Returns true if a voice may begin at `line`: a cheap check for lines that are nothing but text otherwise.
#[inline]
pub(crate) fn may_begin(line: &str) -> bool {
    line.as_bytes().first().is_some_and(|first| FIRST[usize::from(*first)]) && voice_at(line).is_some()
}

pub(crate) fn voice_at(text: &str) -> Option<usize> {
    let [first, second, third, ..] = *text.as_bytes() else { return None };
    let from = usize::from(BEGINNINGS[beginning(first, second, third)]);
    let begins = |voice: &Voice| {
        text.starts_with(voice.open) && (!voice.alone || text.trim_ascii_end().len() == voice.open.len())
    };
    VOICES.iter().skip(from).position(begins).map(|at| from + at)
}
