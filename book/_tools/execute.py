"""Execute the notebooks for the build, two at a time, into the cache that the build reads.

    python book/_tools/execute.py

Without it the build executes them itself, one after another: the pages are the same, and take twice as long. A
notebook that fails is left to the build, which says where.
"""

from concurrent.futures import ThreadPoolExecutor

from jupyter_cache import get_cache
from jupyter_cache.executors.utils import create_cache_bundle, single_nb_execution
from normalise import FOLDER, ROOT, notebooks

CACHE = ROOT / "_build" / ".jupyter_cache"
TOGETHER = 2  # a kernel with torch takes up to 1.5 GB
SECONDS = 120


def main():
    cache = get_cache(CACHE)
    added = [cache.add_nb_to_project(str(path)).pk for path in notebooks()]
    projects = [cache.get_project_notebook(pk) for pk in added if not cache.get_cached_project_nb(pk)]
    with ThreadPoolExecutor(TOGETHER) as pool:
        runs = pool.map(lambda one: single_nb_execution(one.nb, str(FOLDER), SECONDS, False), projects)
        for project, run in zip(projects, runs, strict=True):
            print(f"{project.uri}: {'left to the build' if run.err else f'{run.time:.0f} s'}", flush=True)
            if not run.err:
                bundle = create_cache_bundle(project, run.cwd, None, run.time, run.exc_string)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


if __name__ == "__main__":
    main()
