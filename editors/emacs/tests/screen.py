"""Makes docs/images/emacs.svg of a real screen: Emacs in tmux, with a real daemon that CLADA_CLIENT and CLADA_DAEMON name."""

import html
import os
import pathlib
import re
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
COLORS = ["#1e1e1e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d4d4d4"]
BEFORE = 'def greet(name):\n    return "hi " + name\n\n\ndef total(xs):\n    s = 0\n    for x in xs:\n        s = s + x\n    return s\n'
ANSWER = r'''#!SHAM [@three-char-SHA-256: b01]
action = "file_replace_text"
path = "greet.py"
old_text = "    return \"hi \" + name"
new_text = "    return f\"hello {name}\""
#!END_SHAM_b01
#!SHAM [@three-char-SHA-256: b02]
action = "file_replace_text"
path = "greet.py"
old_text = "    s = 0\n    for x in xs:\n        s = s + x\n    return s"
new_text = "    return sum(xs)"
#!END_SHAM_b02
#!SHAM [@three-char-SHA-256: b03]
action = "run"
command = "sh -c \"python3 greet.py\""
#!END_SHAM_b03
'''


def color(code):
    """Returns the colour of a number of 256."""
    if code < 16:
        return COLORS[code % 8]
    if code >= 232:
        return "#" + f"{8 + 10 * (code - 232):02x}" * 3
    steps = [0, 95, 135, 175, 215, 255]
    code -= 16
    return "#{:02x}{:02x}{:02x}".format(steps[code // 36], steps[code // 6 % 6], steps[code % 6])


def svg(screen):
    """Returns the picture of a screen as tmux captures it."""
    rows, width = [], 0
    for y, line in enumerate(screen.rstrip("\n").split("\n")):
        x, state = 0, {}
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            if part.startswith("\x1b["):
                codes = [int(code or 0) for code in part[2:-1].split(";")]
                while codes:
                    code = codes.pop(0)
                    if code == 0:
                        state = {}
                    elif code in (38, 48) and codes[:1] == [5]:
                        state["fg" if code == 38 else "bg"] = color(codes[1])
                        del codes[:2]
                    elif 30 <= code <= 37 or 40 <= code <= 47:
                        state["fg" if code < 40 else "bg"] = color(code % 10)
                    elif code in (39, 49):
                        state.pop("fg" if code == 39 else "bg", None)
                    elif code in (1, 7, 9):
                        state[code] = True
            elif part:
                front, back = state.get("fg", COLORS[7]), state.get("bg")
                if state.get(7):
                    front, back = back or COLORS[0], front
                if back:
                    rows.append(f'<rect x="{x * 8.4:.1f}" y="{y * 18}" width="{len(part) * 8.4:.1f}" height="18" fill="{back}"/>')
                style = ' font-weight="bold"' * bool(state.get(1)) + ' text-decoration="line-through"' * bool(state.get(9))
                rows.append(f'<text x="{x * 8.4:.1f}" y="{y * 18 + 14}" fill="{front}"{style} textLength="{len(part) * 8.4:.1f}">'
                            f"{html.escape(part)}</text>")
                x += len(part)
        width = max(width, x)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * 8.4:.0f} {(y + 1) * 18}" '
            f'font-family="monospace" font-size="14" xml:space="preserve"><rect width="100%" height="100%" fill="{COLORS[0]}"/>\n'
            + "\n".join(rows) + "\n</svg>\n")


def main():
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        for name in ("home", "config", "state", "run", "project/.git/refs", "project/.git/objects"):
            (top / name).mkdir(parents=True, mode=0o700)
        (top / "project/.git/HEAD").write_text("ref: refs/heads/main\n")
        (top / "project/greet.py").write_text(BEFORE)
        (top / "project/answer.md").write_text(ANSWER)
        (top / "init.el").write_text(
            f'(setq clada-client "{os.environ["CLADA_CLIENT"]}" inhibit-startup-screen t)(menu-bar-mode -1)'
            '(split-window-below 6)(other-window 1)(run-at-time 0.5 nil (quote clada-apply-buffer))')
        env = dict(os.environ, HOME=str(top / "home"), XDG_CONFIG_HOME=str(top / "config"), TERM="xterm-256color",
                   XDG_STATE_HOME=str(top / "state"), CLADA_SOCKET=str(top / "run/s"), LANG="C.UTF-8")
        tmux = ["tmux", "-f", "/dev/null", "-S", str(top / "run/tmux")]
        try:
            subprocess.run([*tmux, "new-session", "-d", "-x", "96", "-y", "34", "-c", str(top / "project"), "emacs", "-nw", "-Q",
                            "answer.md", "-l", str(HERE.parent / "clada.el"), "-l", str(top / "init.el")], env=env, check=True)
            for _ in range(300):
                shown = subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True).stdout
                if "2 of 3 accepted" in shown:
                    break
                time.sleep(0.2)
            subprocess.run([*tmux, "send-keys", "C-x", "1"], check=True)
            time.sleep(1)
            for key in ("n", "n", "k"):
                subprocess.run([*tmux, "send-keys", key], check=True)
                time.sleep(0.5)
            screen = subprocess.run([*tmux, "capture-pane", "-p", "-e"], check=True, capture_output=True, text=True).stdout
        finally:
            subprocess.run([*tmux, "kill-server"], check=False)
            subprocess.run([os.environ["CLADA_CLIENT"], "stop"], env=env, check=False)
    (HERE.parents[2] / "docs/images/emacs.svg").write_text(svg(re.sub(r"(/private)?/tmp/tmp[^ \x1b]*", "~/project", screen)))


main()
