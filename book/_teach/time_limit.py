"""A time limit for code of a submission that may not end, in the main thread and in any other.

In the main thread an alarm interrupts even a call that sleeps, and a loop that swallows every exception.
Elsewhere, and on Windows, a watchdog raises inside the thread that runs the code; a call that never returns
to Python is then out of reach.
"""

import ctypes
import signal
import sys
import threading

AGAIN = 0.05  # seconds until the next try, for code that swallows the first exception


class TimedOut(BaseException):
    """No Exception, so that `except Exception` in the code does not swallow it."""


def limited(function, seconds):
    """function(), or TimedOut after so many seconds."""
    alarmed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    return (_alarmed if alarmed else _watched)(function, seconds)


def _alarmed(function, seconds):
    running, tracing = [True], sys.gettrace()

    def again(frame, event, argument):
        """Raise at the next line, which for code that swallows the exception lies in its handler."""
        if frame.f_code.co_filename == __file__:
            return None
        if running and event == "line":
            raise TimedOut
        return again

    def stop(signum, frame):
        if running:
            while frame is not None and frame.f_code.co_filename != __file__:
                frame.f_trace, frame = again, frame.f_back
            sys.settrace(again)
            raise TimedOut

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
        try:
            return function()
        finally:
            running.clear()
    finally:  # an alarm may have raised just before the line above; from now on it only returns
        running.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.settrace(tracing)
        signal.signal(signal.SIGALRM, before)


def _watched(function, seconds):
    thread, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def raise_there(kind):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind) if kind else None)

    def watch():
        wait = seconds
        while not over.wait(wait):
            with lock:
                if not over.is_set():
                    raise_there(TimedOut)
            wait = AGAIN

    def end():
        over.set()
        with lock:
            raise_there(None)

    threading.Thread(target=watch, daemon=True).start()
    try:
        try:
            return function()
        finally:
            end()
    except TimedOut:
        end()
        raise
