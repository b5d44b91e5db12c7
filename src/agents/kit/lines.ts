/** A line without its ending (`\n` or `\r\n`); not `whole`: a piece of one that is too long to be kept. */
export interface BytesLine {
  readonly bytes: Uint8Array;
  readonly whole: boolean;
}

/** Takes bytes as they come, and gives lines. */
export interface LineSplitter {
  /** The lines that these bytes complete, in order; a line may be cut anywhere, within a character too. */
  push(bytes: Uint8Array): readonly BytesLine[];
  /** The last line, where it had no ending. */
  end(): readonly BytesLine[];
}

/** The longest line that is kept whole, in bytes. */
export const longestLine = 32 * 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Cuts a stream of bytes into lines. An empty line is a line; a lone `\r` ends none. A line longer than `longest`
 * comes in pieces of at most that many bytes, none of which cuts a character of UTF-8 in two.
 */
export function splitLines({ longest = longestLine }: { readonly longest?: number } = {}): LineSplitter {
  // Grows by doubling, so that a program that writes single bytes costs no more than one that writes blocks.
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  let inPieces = false;

  const hold = (bytes: Uint8Array): void => {
    if (heldBytes + bytes.length > held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(heldBytes + bytes.length, 2 * heldBytes, 256));
      held.copy(grown, 0, 0, heldBytes);
      held = grown;
    }
    held.set(bytes, heldBytes);
    heldBytes += bytes.length;
  };

  const take = (): Uint8Array => {
    const bytes = held.subarray(0, heldBytes);
    held = Buffer.alloc(0);
    heldBytes = 0;
    return bytes;
  };

  /** Gives away what no line may hold; one byte more than `longest` is kept, since it may be the `\r` of `\r\n`. */
  const cutPieces = (lines: BytesLine[]): void => {
    if (heldBytes <= longest + 1) return;
    let rest = take();
    while (rest.length > longest + 1) {
      const length = characterBoundary(rest, longest);
      lines.push({ bytes: rest.subarray(0, length), whole: false });
      rest = rest.subarray(length);
    }
    inPieces = true;
    hold(rest);
  };

  const finish = (bytes: Uint8Array, lines: BytesLine[]): void => {
    if (bytes.length <= longest) lines.push({ bytes, whole: !inPieces });
    else {
      const length = characterBoundary(bytes, longest);
      lines.push({ bytes: bytes.subarray(0, length), whole: false });
      lines.push({ bytes: bytes.subarray(length), whole: false });
    }
    inPieces = false;
  };

  return {
    push(bytes) {
      const lines: BytesLine[] = [];
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
        const rest = bytes.subarray(start, end);
        if (heldBytes === 0) finish(withoutReturn(rest), lines);
        else {
          hold(rest);
          cutPieces(lines);
          finish(withoutReturn(take()), lines);
        }
        start = end + 1;
      }
      hold(bytes.subarray(start));
      cutPieces(lines);
      return lines;
    },
    end() {
      const lines: BytesLine[] = [];
      if (heldBytes > 0) finish(take(), lines);
      return lines;
    },
  };
}

const withoutReturn = (line: Uint8Array): Uint8Array =>
  line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;

/** The last place at or before `length` that is not within a character; bytes that are no UTF-8 are cut at `length`. */
function characterBoundary(bytes: Uint8Array, length: number): number {
  for (let at = length; at > length - 4 && at > 0; at -= 1) {
    const byte = bytes[at];
    if (byte === undefined || (byte & 0xc0) !== 0x80) return at;
  }
  return length;
}
