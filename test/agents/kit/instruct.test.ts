import { describe, expect, it } from 'vitest';
import { instruct, readAnswer } from '../../../src/agents/kit/instruct.js';
import type { OutputSchema } from '../../../src/domain/schema.js';
import { readDocument } from '../../../src/schema/document.js';

const schemaText = '{ "type":"object", "properties": {"id": {"maximum": 9007199254740993, "minimum": 1.0}} }';

const read = readDocument(schemaText);
if (!read.ok) throw new Error(read.reason);
const output: OutputSchema = { text: read.json, check: () => Promise.reject(new Error('not asked')) };

const turn = { prompt: 'Describe a widget.', output, refused: undefined };

describe('an agent without a way of its own to answer by a schema', () => {
  it("is told the schema's exact text, after what is asked", () => {
    const text = instruct(turn);
    expect(text.startsWith('Describe a widget.\n\n')).toBe(true);
    expect(text.endsWith(`JSON Schema:\n${schemaText}`)).toBe(true);
  });

  it('is asked in the words of the client alone for a text', () => {
    expect(instruct({ ...turn, output: undefined })).toBe('Describe a widget.');
  });

  it('is told on a further attempt what was wrong, with what it wrote, clipped', () => {
    const reason = '/id: must be at least 1';
    const text = instruct({ ...turn, refused: { reason, document: '{"id":0}' } });
    expect(text).toContain(
      `${schemaText}\n\nThe document you gave for this was refused: ${reason}\n\nIt was:\n{"id":0}\n\n`,
    );
    expect(instruct({ ...turn, refused: { reason, document: 'x'.repeat(1_000_000) } }).length).toBeLessThan(
      10_000,
    );
    expect(instruct({ ...turn, refused: { reason, document: '' } })).not.toContain('It was');
  });

  it('has its document taken from its prose exactly as it wrote it', async () => {
    const document = '{"id": 9007199254740993, "price": 78.0}';
    for (const around of ['', 'Word. '.repeat(20_000)]) {
      expect(await readAnswer(`Here it is:\n\`\`\`json\n${document}\n\`\`\`\nBye. ${around}`)).toEqual({
        kind: 'json',
        document,
      });
    }
  });

  it('has given none where there is none, or more than one', async () => {
    for (const prose of ['I would rather not.', '{"a":1} or {"a":2}', '']) {
      await expect(readAnswer(prose)).rejects.toMatchObject({ code: 'RESULT_MISSING' });
    }
  });
});
