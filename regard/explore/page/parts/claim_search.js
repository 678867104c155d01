// Claims that somebody looks for: every word must be there, in any order; where none is found, a letter may be wrong.

const plain = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
const wordsOf = (text) => plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

// What can be found of each row; made once for a catalogue.
export function indexed({ rows, documents }) {
  return rows.map((row) => {
    const text = plain(`${row.id} ${row.id.replace(".", "")} ${row.title} ${row.asks} ${documents[row.document]} ${row.verdict}`);
    return { row, text, words: wordsOf(text) };
  });
}

export function found(index, search) {
  const wanted = plain(search).split(/\s+/).filter(Boolean);
  const exact = index.filter(({ text }) => wanted.every((word) => text.includes(word)));
  if (exact.length) return exact.map(({ row }) => row);
  return index.filter(({ words }) => wordsOf(search).every((word) => words.some((one) => near(word, one)))).map(({ row }) => row);
}

// Whether a word begins as the other does, but for one letter that is missing, too many, wrong, or in its neighbour's place.
function near(wanted, word) {
  if (wanted.length < 4) return word.startsWith(wanted);
  return [-1, 0, 1].some((more) => apart(wanted, word.slice(0, wanted.length + more)) <= 1);
}

function apart(a, b) {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  const [x, y] = [a.slice(i), b.slice(i)];
  if (!x && !y) return 0;
  const swapped = x.length > 1 && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2);
  return x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1) || swapped ? 1 : 2;
}
