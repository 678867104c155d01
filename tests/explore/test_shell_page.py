import time
import pytest


@pytest.mark.parametrize("n", range(3))
def test_frame(look, violations, shot, server, n):
    t = [time.time()]
    page = look("playground")
    t.append(time.time())
    print(page.title())
    violations(page)
    t.append(time.time())
    shot(page, "try")
    t.append(time.time())
    print([b - a for a, b in zip(t, t[1:])])
    assert n != 2
