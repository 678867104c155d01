"""How views ask: the page's own modules, in the browser, without a view."""

import pytest

PROBE = """async (hook) => {
  const { html, render } = await import("/vendor/preact.js");
  const { [hook]: used } = await import("/asking.js");
  const asked = [], root = document.createElement("div");
  const ask = (name, wanted, { signal } = {}) => new Promise((resolve, reject) => {
    asked.push({ wanted, resolve, reject: (text) => reject(new Error(text)) });
    signal?.addEventListener("abort", () => reject(new DOMException("gone", "AbortError")));
  });
  let last;
  const Probe = ({ wanted }) => { last = used(ask, "name", wanted); return null; };
  const rest = () => new Promise((done) => setTimeout(done, 50));
  const want = async (wanted) => { render(html`<${Probe} wanted=${wanted} />`, root); await rest(); };
  window.probe = { want, rest, asked, now: () => [last.reply, last.error, last.waiting] };
}"""


@pytest.fixture
def modules(look, server):
    """An empty page of the server, which may import its modules."""
    page = look.window()
    page.goto(f"{server.url}vendor/LICENSES.md")
    return page


def test_an_answer_is_that_of_the_last_question(modules):
    modules.evaluate(PROBE, "useAnswer")
    found = modules.evaluate("""async () => {
      const { want, rest, asked, now } = probe, seen = [];
      await want({ n: 1 });
      seen.push(now());
      await want({ n: 2 });
      asked[0].resolve("first");
      asked[1].resolve("second");
      await rest();
      seen.push(now());
      await want({ n: 3 });
      seen.push(now());
      await want(null);
      seen.push(now());
      await want({ n: 4 });
      asked[3].reject("no");
      await rest();
      return [...seen, now(), asked.length];
    }""")
    assert found == [
        [None, None, True],
        ["second", None, False],
        ["second", None, True],  # what was answered stays until the next answer
        ["second", None, False],  # nothing is asked any more
        ["second", "no", False],
        4,
    ]


def test_while_a_slider_moves_the_latest_is_asked_next(modules):
    modules.evaluate(PROBE, "useLatest")
    found = modules.evaluate("""async () => {
      const { want, rest, asked, now } = probe;
      for (const n of [1, 2, 3, 4]) await want({ n });
      const before = asked.length;
      asked[0].resolve("first");
      await rest();
      const between = now();
      asked[1].resolve("last");
      await rest();
      return [before, between, now(), asked.map((one) => one.wanted.n)];
    }""")
    assert found == [1, ["first", None, True], ["last", None, False], [1, 4]]


def test_answers_go_to_those_who_asked(modules):
    """A view that is left and opened again has the same model, whose earlier questions may still be answered."""
    found = modules.evaluate("""async () => {
      const { asker, PageModel } = await import("/model.js");
      class Model extends PageModel { sent = []; send(message) { this.sent.push(message); } }
      const model = new Model({});
      const first = asker(model)("one"), again = asker(model)("two"), control = new AbortController();
      const left = asker(model)("three", {}, { signal: control.signal }).catch((error) => error.name);
      control.abort();
      const ids = model.sent.map((message) => message.id);
      model.emit("msg:custom", { id: ids[1], reply: "second" });
      model.emit("msg:custom", { id: ids[0], error: "no", status: 400 });
      model.emit("msg:custom", { id: "of another", reply: "none" });
      const failed = await first.catch((error) => [error.message, error.status]);
      return { ids, failed, again: await again, left: await left, cancelled: model.sent.at(-1).cancel,
               listeners: model.listeners.get("msg:custom").length };
    }""")
    ids = found.pop("ids")
    assert (len(set(ids)), ids[2]) == (3, ids[3])
    assert found == {"failed": ["no", 400], "again": "second", "left": "AbortError", "cancelled": True, "listeners": 1}


def test_numbers_are_read_wherever_they_lie(modules):
    """A notebook may give bytes from the middle of a larger buffer."""
    found = modules.evaluate("""async () => {
      const { unpacked, bytesOf, base64Of } = await import("/model.js");
      const head = '{"n":3}     ';
      const packed = new Uint8Array(16 + 24);
      new DataView(packed.buffer).setUint32(0, head.length, true);
      packed.set(new TextEncoder().encode(head), 4);
      packed.set(new Uint8Array(new Float64Array([1, -2.5, 3.25]).buffer), 16);
      return [0, 3, 8].map((shift) => {
        const larger = new Uint8Array(48);
        larger.set(packed, shift);
        const { head, data, offset } = unpacked(new DataView(larger.buffer, shift, packed.length));
        return [head.n, ...new Float64Array(data, offset, 3)];
      }).concat([[...bytesOf(base64Of(new Uint8Array([0, 255, 7])))]]);
    }""")
    assert found == [[3, 1, -2.5, 3.25]] * 3 + [[0, 255, 7]]
