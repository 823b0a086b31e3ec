import tempfile
import unittest
from pathlib import Path

from todo import store


class StoreTest(unittest.TestCase):
    def test_what_is_saved_is_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "todo.json"
            self.assertEqual(store.load(path), [])
            items = [store.Item("water the plants"), store.Item("käse kaufen", done=True)]
            store.save(path, items)
            self.assertEqual(store.load(path), items)


if __name__ == "__main__":
    unittest.main()
