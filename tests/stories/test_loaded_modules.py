"""A story across processes: what each of a service has loaded, which is most of its memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service import environment, give_places, serving, until

ROOT = Path(__file__).parents[2]

WITNESS = """
import os, sys, threading, time
from pathlib import Path

def write_when_asked():
    folder = Path(__file__).parent
    while not (folder / "asked").exists():
        time.sleep(0.05)
    loaded = [name for name, module in list(sys.modules.items()) if module]
    part = folder / f"{os.getpid()}.part"
    part.write_text("\\n".join([sys.argv[-1], *sorted(name for name in loaded if "." not in name)]))
    part.rename(folder / f"{os.getpid()}.loaded")

def watch():
    threading.Thread(target=write_when_asked, daemon=True).start()

watch()
os.register_at_fork(after_in_child=watch)
"""
HEAVY = {"asyncio", "dns", "flask", "granian", "marshmallow", "peewee", "psycopg", "redis", "rq"}
LOADED = {
    "serve": set(),
    "worker": HEAVY - {"dns", "flask", "granian", "psycopg"},
    "web": HEAVY - {"psycopg"},
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """By a process' last word, what those of a service on SQLite have loaded."""
    folder = tmp_path_factory.mktemp("witness")
    folder.joinpath("sitecustomize.py").write_text(WITNESS, "utf-8")
    found: dict[str, list[set[str]]] = {}
    with serving(folder / "instance", PYTHONPATH=os.pathsep.join([str(folder), str(ROOT)])) as service:
        folder.joinpath("asked").touch()
        running = {pid for word in LOADED for pid in service.processes(f"app {word}")}
        until(lambda: {int(each.stem) for each in folder.glob("*.loaded")} >= running)
    for each in folder.glob("*.loaded"):
        name, *modules = each.read_text("utf-8").split("\n")
        found.setdefault(name, []).append(HEAVY.intersection(modules))
    return found


@pytest.mark.parametrize("name", LOADED)
def test_a_process_loads_no_more_than_it_needs(loaded, name):
    assert loaded[name]
    assert set().union(*loaded[name]) <= LOADED[name]


SERVED = """
import sys, threading, app
from tests.loaded import loaded
from workers.web import server
app.create_routes = lambda make=app.create_routes: made.append(make()) or made[-1]
made = []

class Forking:
    def __init__(self, *_, **__):
        self.before = loaded()

    def serve(self):
        app.asgi()
        for thread in threading.enumerate():
            if thread.daemon:
                thread.join()
        print(sorted(loaded() - self.before))

server.Granian = Forking
sys.argv = ["audience", "web"]
try:
    app.main()
except SystemExit:
    print(len(made), "audience" in made[0].extensions)
"""


def test_routes_modules_and_tables_are_loaded_once_before_web_processes_are_forked(tmp_path):
    told = environment(tmp_path, 8000)
    give_places(tmp_path)
    subprocess.run([sys.executable, "-m", "app", "migrate"], env=told, cwd=ROOT, check=True, timeout=120)
    said = subprocess.check_output([sys.executable, "-c", SERVED], env=told, cwd=ROOT, text=True, timeout=120)
    assert said == "[]\n1 True\n"


def test_a_web_process_of_its_own_has_no_driver_of_another_database(tmp_path):
    code = "import sys, app; app.asgi(); print([name for name, each in list(sys.modules.items()) if each])"
    told = environment(tmp_path, 8000)
    give_places(tmp_path)
    subprocess.run([sys.executable, "-m", "app", "migrate"], env=told, cwd=ROOT, check=True, timeout=120)
    loaded = subprocess.check_output([sys.executable, "-c", code], env=told, cwd=ROOT, text=True, timeout=120)
    assert "'peewee'" in loaded
    assert "'psycopg'" not in loaded
