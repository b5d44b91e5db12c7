/** Passes a text on in pieces of whole characters: some models send the two halves of one in two pieces. */
export interface WholeCharacters {
  /** What can be passed on now, '' where nothing can. */
  push(piece: string): string;
  /** Half a character whose other half never came, as U+FFFD. */
  end(): string;
}

export function wholeCharacters(): WholeCharacters {
  let half = '';
  return {
    push(piece) {
      const text = half + piece;
      const cut = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
      half = text.slice(cut);
      return text.slice(0, cut).toWellFormed();
    },
    end() {
      const rest = half.toWellFormed();
      half = '';
      return rest;
    },
  };
}
