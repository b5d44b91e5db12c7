/** A piece of Markdown: what stands between fences, or what stands in one, under the language that it names. */
export interface Block {
  readonly text: string;
  /** The first word after the opening fence, often empty; undefined: not in a fence. */
  readonly fence: string | undefined;
}

interface Fence {
  readonly mark: string;
  readonly language: string;
}

/**
 * Cuts Markdown into its fenced blocks and the text between them (CommonMark 0.31, 4.5, but for the depth of their
 * indentation, which agents do not keep to). A block that is not closed goes to the end of the text.
 */
export function readBlocks(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let open: Fence | undefined;
  const end = (): void => {
    blocks.push({ text: lines.join('\n'), fence: open?.language });
    lines = [];
  };
  for (const line of markdown.split(/\r?\n/)) {
    const next = open === undefined ? readOpening(line) : open;
    if (next !== open || (open !== undefined && isClosing(line.trim(), open))) {
      end();
      open = next === open ? undefined : next;
    } else lines.push(line);
  }
  end();
  return blocks;
}

function readOpening(line: string): Fence | undefined {
  const [mark] = /^(?:`{3,}|~{3,})/.exec(line.trimStart()) ?? [];
  if (mark === undefined) return undefined;
  const information = line.trimStart().slice(mark.length);
  // That would be code within a line.
  if (mark.startsWith('`') && information.includes('`')) return undefined;
  return { mark, language: information.trimStart().split(/\s/, 1)[0] ?? '' };
}

/** Nothing but the mark's own character, at least as often as in the mark. */
const isClosing = (line: string, { mark }: Fence): boolean =>
  line.startsWith(mark) && line.replaceAll(mark.charAt(0), '') === '';
