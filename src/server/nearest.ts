/** The name that a user most likely meant by `typed`, or undefined where none comes near: for "did you mean …?". */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const plain = simplify(typed);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(plain, simplify(name));
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  // A third of the letters: `maxbod` is a slip for `maxBody`, `colour` is not one for `config`.
  return best !== undefined && best.distance <= Math.max(1, plain.length / 3) ? best.name : undefined;
}

/** `max-body`, `MAX_BODY` and `maxBody` are one name, written for three places. */
const simplify = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Levenshtein's distance, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [leftIndex, letter] of [...left].entries()) {
    let diagonal = leftIndex;
    const next = [leftIndex + 1];
    for (const [rightIndex, other] of [...right].entries()) {
      const above = row[rightIndex + 1] ?? 0;
      const before = next[rightIndex] ?? 0;
      next.push(Math.min(above + 1, before + 1, diagonal + (letter === other ? 0 : 1)));
      diagonal = above;
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
