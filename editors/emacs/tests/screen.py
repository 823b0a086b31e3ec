"""Makes docs/images/emacs.svg of a real screen: Emacs in tmux, with a real daemon that CLADA_CLIENT and CLADA_DAEMON name."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
IMAGES = HERE.parents[2] / "docs/images"
sys.path.insert(0, str(IMAGES))
sys.dont_write_bytecode = True

from screen import svg

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
    (IMAGES / "emacs.svg").write_text(svg(re.sub(r"(/private)?/tmp/tmp[^ \n\x1b]*", "~/project", screen)))


main()
