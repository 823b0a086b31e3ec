"""The command line."""

import argparse

from todo import store


def parser():
    parser = argparse.ArgumentParser(prog="todo")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="add something to do")
    add.add_argument("text")
    done = commands.add_parser("done", help="tick something off")
    done.add_argument("number", type=int)
    commands.add_parser("list", help="show what is left")
    return parser


def main(arguments):
    options = parser().parse_args(arguments)
    path = store.default_path()
    items = store.load(path)
    if options.command == "add":
        items.append(store.Item(options.text))
        store.save(path, items)
    elif options.command == "done":
        items[options.number - 1].done = True
        store.save(path, items)
    else:
        for number, item in enumerate(items, 1):
            mark = "x" if item.done else " "
            print(f"{number}. [{mark}] {item.text}")
    return 0
