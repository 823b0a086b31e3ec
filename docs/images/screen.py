"""Pictures of terminals: what `tmux capture-pane -e` printed, as SVG, one screen or a film of several."""

import html
import re

COLORS = ["#1e1e1e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d4d4d4"]
CELL, LINE, MARGIN = 8.4, 18, 10


def color(codes):
    """Takes the rest of a colour, `5;N` or `2;R;G;B`, off the front of `codes` and returns it."""
    if codes.pop(0) == 2:
        rgb, codes[:3] = codes[:3], []
        return "#%02x%02x%02x" % tuple(rgb)
    code = codes.pop(0)
    if code < 16:
        return COLORS[code % 8]
    if code >= 232:
        return "#" + f"{8 + 10 * (code - 232):02x}" * 3
    steps = [0, 95, 135, 175, 215, 255]
    code -= 16
    return "#" + "".join(f"{steps[n]:02x}" for n in (code // 36, code // 6 % 6, code % 6))


def change(state, codes):
    """Changes the state of the pen as one `ESC [ … m` says."""
    while codes:
        code = codes.pop(0)
        if code == 0:
            state.clear()
        elif code in (38, 48) and codes[:1] in ([5], [2]):
            state["front" if code == 38 else "back"] = color(codes)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            state["front"] = "#999999" if code == 90 else COLORS[code % 10]
        elif 40 <= code <= 47:
            state["back"] = COLORS[code % 10]
        elif code in (39, 49):
            state.pop("front" if code == 39 else "back", None)
        elif code in (1, 2, 7, 9):
            state[code] = True
        elif code in (22, 27, 29):
            for ended in {22: (1, 2), 27: (7,), 29: (9,)}[code]:
                state.pop(ended, None)


def elements(screen):
    """Returns the rectangles and texts of a screen."""
    drawn = []
    for y, line in enumerate(screen.rstrip("\n").split("\n")):
        x, state = 0, {}
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            if part.startswith("\x1b["):
                change(state, [int(code or 0) for code in part[2:-1].split(";")])
                continue
            if not part:
                continue
            front, back = state.get("front", COLORS[7]), state.get("back")
            if state.get(7):
                front, back = back or COLORS[0], front
            left, width = MARGIN + x * CELL, len(part) * CELL
            if back:
                drawn.append(f'<rect x="{left:.1f}" y="{MARGIN + y * LINE}" width="{width:.1f}" height="{LINE}" fill="{back}"/>')
            style = ' font-weight="bold"' * bool(state.get(1)) + ' opacity="0.7"' * bool(state.get(2))
            style += ' text-decoration="line-through"' * bool(state.get(9))
            if part.strip():
                drawn.append(f'<text x="{left:.1f}" y="{MARGIN + 14 + y * LINE}" fill="{front}"{style} '
                             f'textLength="{width:.1f}" xml:space="preserve">{html.escape(part)}</text>')
            x += len(part)
    return drawn


def picture(columns, rows, drawn, style=""):
    """Returns an SVG of so many cells."""
    width, height = columns * CELL + 2 * MARGIN, rows * LINE + 2 * MARGIN
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
            f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">{style}'
            f'<rect width="100%" height="100%" rx="6" fill="{COLORS[0]}"/>\n' + "\n".join(drawn) + "\n</svg>\n")


def svg(screen):
    """Returns the picture of one screen, as wide as its widest line."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", screen).rstrip("\n").split("\n")
    return picture(max(map(len, lines)), len(lines), elements(screen))


def film(screens, columns, rows):
    """Returns a film of `(seconds, screen)`, shown one after the other for ever.

    It begins with the fullest screen of the first half, which is also the still picture where nothing moves: a first screen
    with one command on it would say nothing.
    """
    total = sum(seconds for seconds, _ in screens)
    still = max(range((len(screens) + 1) // 2), key=lambda number: len(screens[number][1].split()))
    begun = sum(seconds for seconds, _ in screens[:still]) + 0.1
    style, drawn, start = "", [], 0.0
    for number, (seconds, screen) in enumerate(screens):
        begin, end = 100 * start / total, 100 * (start + seconds) / total
        hidden = "" if begin == 0 else f"0%,{begin - 0.001:.3f}%{{visibility:hidden}}"
        after = "" if number == len(screens) - 1 else f"{end:.3f}%,100%{{visibility:hidden}}"
        style += (f"@keyframes f{number}{{{hidden}{begin:.3f}%,{min(end - 0.001, 100):.3f}%{{visibility:visible}}{after}}}"
                  f"#f{number}{{visibility:{'visible' if number == still else 'hidden'};"
                  f"animation:f{number} {total:.1f}s step-end -{begun:.1f}s infinite}}")
        drawn += [f'<g id="f{number}">', *elements(screen), "</g>"]
        start += seconds
    style += "@media (prefers-reduced-motion){g{animation:none!important}}"
    return picture(columns, rows, drawn, f"<style>{style}</style>")
