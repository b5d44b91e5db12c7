import type { OutputEvent } from '../../domain/agent.js';
import type { JsonText } from '../../domain/json.js';
import { readDocument } from '../../schema/document.js';
import { isShape, type JsonLine, type Shape, shapeAt, textAt } from '../kit/json-line.js';

/** Whether a block is a call of a tool, whoever runs it. */
export const isToolCall = (block: Shape): block is Shape & { readonly id: string; readonly name: string } =>
  (block.type === 'tool_use' || block.type === 'server_tool_use' || block.type === 'mcp_tool_use') &&
  typeof block.id === 'string' &&
  typeof block.name === 'string';

/** Whether a block is what a tool answered. */
export const isToolResult = (block: Shape): block is Shape & { readonly tool_use_id: string } =>
  typeof block.type === 'string' &&
  block.type.endsWith('tool_result') &&
  typeof block.tool_use_id === 'string';

/** The input of a tool as its model wrote it, if the pieces of it that came are a whole document. */
export function exactInput(joined: string | undefined): JsonText | undefined {
  if (joined === undefined) return undefined;
  const read = readDocument(joined, { depth: 512 });
  return read.ok ? read.json : undefined;
}

/**
 * A tool's result: its texts on lines of their own, and whatever is not text named there and then shown as it was
 * written (a picture, what a search found).
 */
export function toolResult(
  line: JsonLine,
  {
    block,
    index,
    by,
  }: {
    readonly block: Shape & { readonly tool_use_id: string };
    readonly index: number;
    readonly by: { readonly parent?: string };
  },
): readonly OutputEvent[] {
  const place = ['message', 'content', index, 'content'] as const;
  const result = (text: string): OutputEvent => ({
    type: 'tool_result',
    id: block.tool_use_id,
    ok: block.is_error !== true,
    text,
    ...by,
  });
  const { content } = block;
  if (typeof content === 'string') return [result(content)];
  if (!Array.isArray(content)) return [result(line.exact(...place) ?? '')];
  const parts: readonly unknown[] = content;
  const texts = parts.map((part) => (isText(part) ? part.text : named(part)));
  const shown = parts.flatMap((part, at): OutputEvent[] =>
    isText(part) ? [] : [{ type: 'raw', text: line.exact(...place, at) ?? '', ...by }],
  );
  return [result(texts.join('\n')), ...shown];
}

const isText = (part: unknown): part is { readonly text: string } =>
  isShape(part) && part.type === 'text' && typeof part.text === 'string';

/** What a part that is no text is called among those that are: its type, and its media type, title or address. */
function named(part: unknown): string {
  if (!isShape(part)) return '[unknown]';
  const details = [
    textAt(part, 'type') ?? 'unknown',
    textAt(shapeAt(part, 'source'), 'media_type'),
    textAt(part, 'title'),
    textAt(part, 'url'),
  ];
  return `[${details.filter((detail) => detail !== undefined).join(' ')}]`;
}

/** Whether a message has a content that can be read: words, or a list of blocks. */
export const hasContent = ({ content }: Shape): boolean =>
  typeof content === 'string' || Array.isArray(content);

/** The blocks of a message with their indexes; one that is no object has no type, and is shown as it is. */
export function blocksOf({ content }: Shape): readonly (readonly [Shape, number])[] {
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown, index) => [isShape(block) ? block : {}, index] as const);
}
