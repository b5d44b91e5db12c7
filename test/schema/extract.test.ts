import { describe, expect, test } from 'vitest';
import { extractDocument } from '../../src/schema/extract.js';

const fenced = (content: string, language = 'json', mark = '```'): string =>
  `${mark}${language}\n${content}\n${mark}`;

const document = '{"id":9007199254740993,"price":78.0,"text":"a } b ] \\" {"}';

describe('The one document of an answer, exactly as it was written', () => {
  test.each<[string, string]>([
    ['the whole text', document],
    ['the whole text, white space around it', `\n\t ${document} \r\n`],
    ['the only fenced block', `Here it is:\n\n${fenced(document)}\n\nAnything else?`],
    ['a block without a language', fenced(document, '')],
    ['a block in capitals, with more words after the language', fenced(document, 'JSON title="x"')],
    ['a block of tildes', `Here:\n${fenced(document, 'json', '~~~')}`],
    ['a longer fence', fenced(document, 'json', '`````')],
    ['a block in a list', `1. Done:\n    \`\`\`json\n    ${document}\n    \`\`\``],
    ['a block that is not closed', `Done.\n\`\`\`json\n${document}`],
    ['a block with line ends of Windows', `Done.\r\n\`\`\`json\r\n${document}\r\n\`\`\`\r\n`],
    [
      'a block beside one of another language',
      `${fenced('print({"a": [1]})', 'python')}\n${fenced(document)}`,
    ],
    ['the only object in a line', `The result is ${document}, as asked.`],
    ['the only object, in code within a line', `The result is \`${document}\`.`],
    ['the only object, in code of three ticks within a line', `The result is \`\`\`${document}\`\`\`.`],
    [
      'an object after braces that are no JSON',
      `I replaced {name} and [the other] in f(x) { return x; }. ${document}`,
    ],
    [
      'an object beside marks of prose',
      `- [ ] to do\n- [x] done [1], [12:30:01] {}\n\n${document}\n\n[1]: see above`,
    ],
    [
      'an object beside broken brackets that closed again',
      `A set {a, b} and a list [a, b, {c}].\n${document}`,
    ],
    ['an object in an unlabelled block with words', fenced(`Result:\n${document}`, 'text')],
    ['a byte-order mark before it', `\ufeff${document}`],
  ])('%s', (_, prose) => {
    expect(extractDocument(prose)).toEqual({ ok: true, document });
  });

  test.each([
    ['a number', '42', '42'],
    ['a string', ' "yes" ', '"yes"'],
    ['null in a block', fenced('null'), 'null'],
    [
      'an array over several lines',
      'Found:\n[\n  1,\n  {"a": [2]}\n]\nThat is all.',
      '[\n  1,\n  {"a": [2]}\n]',
    ],
    ['an empty array, where there is nothing else', 'There are no risks: []', '[]'],
    ['escapes and Unicode', 'Ž: {"\\u00e4":"\\ud83d\\ude00 ž\\\\"} ✓', '{"\\u00e4":"\\ud83d\\ude00 ž\\\\"}'],
    ['a fence inside of a string', '{"md":"```json\\n{}\\n```"} is it.', '{"md":"```json\\n{}\\n```"}'],
  ])('%s', (_, prose, expected) => {
    expect(extractDocument(prose)).toEqual({ ok: true, document: expected });
  });
});

describe('Two candidates are none', () => {
  test.each([
    ['two blocks', `${fenced('{"a":1}')}\nor\n${fenced('{"a":2}')}`],
    ['the same block twice', `${fenced('{"a":1}')}\n${fenced('{"a":1}')}`],
    ['two objects', 'First {"a":1}, then {"a":2}.'],
    ['an object and an array', '{"a":1} [{"b":2}]'],
    ['documents one a line', '{"a":1}\n{"a":2}\n{"a":3}'],
    ['a block and an object outside of it', `I thought of {"a":1}.\n${fenced('{"a":2}')}`],
    ['one that is whole and one that is broken off', `${fenced('{"a":1}')}\nCorrection: {"a":2, "b`],
    ['slight ones alone', 'Either [] or {}.'],
  ])('%s', (_, prose) => {
    expect(extractDocument(prose)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/\d JSON documents/),
    });
  });
});

describe('None', () => {
  test.each([
    ['an empty answer', ''],
    ['white space', ' \n'],
    ['prose', 'I could not find anything.'],
    ['prose with brackets', 'See {name}, [here] and f(x) => { x }.'],
    ['a block of another language', fenced('const a = {"b": 1};', 'ts')],
    ['a part of an object that is no JSON', 'It is {result: {"a": 1}}.'],
    ['a part of one that is broken off', 'It is {result: {"a": 1}, '],
  ])('%s holds no document', (_, prose) => {
    expect(extractDocument(prose)).toEqual({ ok: false, reason: 'The answer holds no JSON document.' });
  });

  test.each([
    ['broken off', '{"result":{"a":1},"b":', /breaks off/],
    ['broken off in a string', 'Here: {"result":{"a":1},"b":"x', /breaks off/],
    ['an array broken off', 'Here: [{"a":1},{"a":2}', /breaks off/],
    ['a trailing comma', fenced('{"a":1,}'), /./],
    ['a comment', fenced('{"a":1} // one', 'jsonc'), /./],
    ['single quotes in a block', fenced("{'a':1}"), /./],
    ['a name twice', '{"a":1,"a":2}', /a name stands twice/],
    ['a number that is not finite', 'Here: {"a":1e400}', /range of a double/],
  ])('one that cannot be read is named so: %s', (_, prose, reason) => {
    const found = extractDocument(prose);
    expect(found).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^The JSON document in the answer (?:cannot be read|breaks off)/),
    });
    expect(found).toMatchObject({ reason: expect.stringMatching(reason) });
  });

  test('no text makes it slow', () => {
    const size = 200_000;
    const begun = performance.now();
    for (const prose of [
      '{'.repeat(size),
      '['.repeat(size),
      '{"'.repeat(size),
      '[1] '.repeat(size),
      '{a} '.repeat(size),
      '`'.repeat(size),
      `\`\`\`${'a'.repeat(size)}\``,
      '```\n'.repeat(size / 4),
      `{${' '.repeat(size)}`.repeat(3),
      `"${'\\'.repeat(size)}`,
      '[{'.repeat(size),
      ']'.repeat(size),
      `{"a":${'[1,'.repeat(size)}`,
    ]) {
      extractDocument(prose);
    }
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});
