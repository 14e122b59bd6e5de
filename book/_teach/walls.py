"""What shuts a submission in: the command that starts it in bubblewrap, and limits that no cell can lift."""

import resource
import subprocess
import sys
from pathlib import Path

import posenc

SECONDS = 5.0  # for a cell, and for a call
MEMORY = 2**31  # bytes, beyond what the packages take
FORBIDDEN = "fork vfork unshare setns mount ptrace shmget msgget semget io_uring_setup bpf keyctl add_key".split()
PACKAGE = Path(posenc.__file__).parent


def command(*, trusted=False):
    """What runs a submission: inside bubblewrap, or, trusted, as it is. Raises OSError where there is none."""
    run = [sys.executable, "-P", str(Path(__file__).with_name("submission.py"))]
    if trusted:
        return run
    places = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"}
    places |= {sys.prefix, sys.base_prefix, *(path for path in sys.path if "site-packages" in path)}
    binds = [part for place in sorted(places) if Path(place).exists() for part in ("--ro-bind", place, place)]
    for path in (PACKAGE, Path(run[-1]), Path(__file__), Path(__file__).with_name("time_limit.py")):
        binds += ["--ro-bind", str(path), f"/course/{path.name}"]
    binds += ["--tmpfs", "/course/posenc/checks"]  # the checkers compute what is right
    binds += ["--ro-bind", str(PACKAGE / "checks" / "__init__.py"), "/course/posenc/checks/__init__.py"]
    wrap = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    wrap += ["--clearenv", "--size", str(2**23), "--tmpfs", "/tmp", *binds, "--remount-ro", "/course/posenc/checks"]
    wrap += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--chdir", "/tmp"]
    for name, value in {"HOME": "/tmp", "PYTHONPATH": "/course", "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}.items():
        wrap += ["--setenv", name, value]
    whole = [*wrap, "--remount-ro", "/", *run[:-1], "/course/submission.py"]
    tried = subprocess.run([*whole[:-2], "-c", "import pyseccomp"], capture_output=True, text=True)
    if tried.returncode:
        raise OSError(tried.stderr.strip()[-300:])
    return whole


def confine():
    """Limits that no cell can lift; on Linux no further process either, so that they hold for the whole."""
    used = 0
    if sys.platform == "linux":
        import pyseccomp as system

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        rules = system.SyscallFilter(system.ALLOW)
        for name in FORBIDDEN:
            rules.add_rule(system.ERRNO(1), name)
        thread = 0x10000
        rules.add_rule(system.ERRNO(1), "clone", system.Arg(0, system.MASKED_EQ, thread, 0))
        rules.add_rule(system.ERRNO(38), "clone3")  # the C library then falls back on clone
        rules.load()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    for what, most in (("CORE", 0), ("FSIZE", 2**20), ("CPU", 120), ("NOFILE", 64)):
        resource.setrlimit(getattr(resource, f"RLIMIT_{what}"), (most, most))
