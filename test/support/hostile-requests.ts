import fc from 'fast-check';

/** A request as it goes over the wire, by Node's client or byte by byte. */
export interface HostileRequest {
  readonly verb: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The text of a JSON-RPC call's id, where what was sent is a call and has exactly one. */
  readonly id: string | undefined;
}

/** JSON as it is written, so that it can say what no value of JavaScript can. */
type Node =
  | { readonly kind: 'leaf'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Node])[] };

const nodeOf = (value: unknown): Node => {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(nodeOf) };
  if (typeof value !== 'object' || value === null)
    return { kind: 'leaf', text: JSON.stringify(value) ?? 'null' };
  return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, nodeOf(member)]) };
};

const textOf = (node: Node): string => {
  if (node.kind === 'leaf') return node.text;
  if (node.kind === 'list') return `[${node.items.map(textOf).join(',')}]`;
  return `{${node.members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(',')}}`;
};

const deep = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + (open === '[' ? '' : '1') + close.repeat(depth);

/** Texts of JSON values, and of what is almost one. */
const hostileText = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        'null',
        'true',
        'false',
        '0',
        '-0',
        '1e400',
        '-1',
        '1.0',
        '9007199254740993',
        '1e-400',
        '2147483648',
      ],
      ...['""', '" "', '[]', '{}', '[null]', '{"":null}', '{"__proto__":{"a":1}}', '{"constructor":1}'],
      ...['"\\ud800"', '"\\udfff\\ud800"', '"\\u0000"', '"\\u2028\\r\\n"', '"𝕏\u202e"', '"../../etc/passwd"'],
      ...['"a\\r\\nX-Header: 1"', '"%00"', '"TASK_STATE_COMPLETED"', '"ROLE_AGENT"', '"!!not base64"'],
      ...['NaN', 'Infinity', '01', '1.', '.5', "'a'", '"\\x"', '"\u0001"', '', ',', '{"a":1,"a":2}'],
      ...['"2024-02-30T99:00:00Z"', '"9999-12-31T23:59:59.999999999Z"', '"-1"', '"1e3"', '"http://[::1"'],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(998, 1_000, 1_001, 20_000).map((depth) => deep(depth, '[', ']')) },
  { weight: 1, arbitrary: fc.constantFrom(50, 999, 5_000).map((depth) => deep(depth, '{"a":', '}')) },
  { weight: 1, arbitrary: fc.constantFrom(2_000, 40_000).map((size) => JSON.stringify('ä'.repeat(size))) },
  { weight: 1, arbitrary: fc.constantFrom(10, 400).map((digits) => '7'.repeat(digits)) },
);

interface Change {
  readonly how: 'replace' | 'remove' | 'repeat' | 'rename' | 'add' | 'wrap';
  /** Which of the places in the tree, as a part of all of them. */
  readonly where: number;
  readonly text: string;
}

const change = fc.record<Change>({
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'repeat', 'rename', 'add', 'wrap'),
  where: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  text: hostileText,
});

const countOf = (node: Node): number =>
  1 +
  (node.kind === 'list' ? node.items : node.kind === 'object' ? node.members.map(([, member]) => member) : [])
    .map(countOf)
    .reduce((sum, count) => sum + count, 0);

/** The tree with one place changed; places are counted from the root, depth first. */
function changed(root: Node, { how, where, text }: Change): Node {
  let left = Math.floor(where * countOf(root));
  const leaf: Node = { kind: 'leaf', text };
  const visit = (node: Node): readonly Node[] => {
    left -= 1;
    if (left < 0) {
      left = Number.POSITIVE_INFINITY;
      if (how === 'remove') return [];
      if (how === 'repeat') return [node, node];
      if (how === 'wrap') return [{ kind: 'list', items: [node] }];
      if (how === 'add' && node.kind === 'object') {
        return [{ kind: 'object', members: [...node.members, ['unknownName', leaf]] }];
      }
      if (how === 'rename' && node.kind === 'object') {
        const renamed = node.members.map(([name, member]) => [name.toUpperCase(), member] as const);
        return [{ kind: 'object', members: renamed }];
      }
      return [leaf];
    }
    if (node.kind === 'leaf') return [node];
    if (node.kind === 'list') return [{ kind: 'list', items: node.items.flatMap(visit) }];
    const members = node.members.flatMap(([name, member]) =>
      visit(member).map((replaced) => [name, replaced] as const),
    );
    return [{ kind: 'object', members }];
  };
  return visit(root)[0] ?? { kind: 'leaf', text: '' };
}

/** Bytes with some of them flipped, cut off, or put in. */
const damage = fc.oneof(
  { weight: 8, arbitrary: fc.constant((bytes: Buffer) => bytes) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.uint8Array({ maxLength: 6 }), fc.nat(6))
      .map(([where, inserted, dropped]) => (bytes: Buffer) => {
        const at = Math.floor(where * bytes.length);
        return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + dropped)]);
      }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (bytes: Buffer) => bytes.subarray(0, bytes.length / 2),
      (bytes: Buffer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
      (bytes: Buffer) => Buffer.concat([bytes, bytes]),
      () => Buffer.alloc(0),
      (bytes: Buffer) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
    ),
  },
);

const oddHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          ...['a2a-version', 'a2a-extensions', 'content-type', 'accept', 'last-event-id', 'origin', 'host'],
          ...[
            'authorization',
            'if-none-match',
            'if-modified-since',
            'traceparent',
            'x-forwarded-host',
            'cookie',
          ],
          ...['content-encoding', 'range', 'x-http-method-override', 'access-control-request-method'],
        ),
        fc.oneof(
          fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
          fc.constantFrom(
            ...[
              '',
              '0',
              '1.0',
              '0.3',
              '1.0.7',
              '2.0',
              ' 1.0 ',
              ',,,',
              '*/*',
              'application/json; charset=utf-16',
            ],
            ...['text/plain', 'gzip', 'ü', 'x-0', 'context-18446744073709551616', 'a'.repeat(4_000), 'null'],
            ...['https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/', 'W/"x"', 'bytes=0-1'],
          ),
        ),
      )
      .map(([name, value]) => ({ [name]: value })),
  },
);

/** Changes to a path and its query; each piece is of what a URL may be written with. */
const oddPath = fc.oneof(
  { weight: 8, arbitrary: fc.constant((path: string) => path) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          ...[
            '%',
            '%00',
            '%2e%2e%2f',
            '%ff',
            '%0d%0aX:1',
            '/',
            '//',
            '/../',
            '?',
            '&',
            '#',
            ';',
            ':',
            '=',
            '%zz',
          ],
          ...[
            'replay=maybe',
            '&limit=1e3',
            '&limit=-1',
            '&page=%7B%7D',
            '&pageSize=0',
            '&pageToken=AAAA',
            '&limit=',
          ],
          ...[
            '&historyLength=-1',
            '&status=NOPE',
            '&command_id=a&command_id=b',
            '&session_id=%00',
            '&replay=1',
          ],
          ...[
            '&constructor=1',
            '&__proto__=1',
            '?A2A-Version=0.3',
            'x'.repeat(3_000),
            '\\',
            '"',
            '<',
            '@',
            '*',
          ],
        ),
        fc.double({ min: 0, max: 1, noNaN: true }),
      )
      .map(([piece, where]) => (path: string) => {
        const at = where > 0.6 ? path.length : 1 + Math.floor((where / 0.6) * (path.length - 1));
        return path.slice(0, at) + piece + path.slice(at);
      }),
  },
);

const oddVerb = fc.oneof(
  { weight: 20, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'QUERY'),
  },
);

/** A valid request, from which hostile ones are made. */
export interface ValidRequest {
  readonly verb: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Requests that are almost those given: types, fields, depth, size, doubled names, ids, headers, paths and bytes. */
export const hostileRequest = (valid: readonly ValidRequest[]): fc.Arbitrary<HostileRequest> =>
  fc
    .record({
      request: fc.constantFrom(...valid),
      changes: fc.array(change, { maxLength: 2 }),
      damaged: damage,
      headers: oddHeaders,
      path: oddPath,
      verb: oddVerb,
    })
    .map(({ request, changes, damaged, headers, path, verb }) => {
      const odd = { verb: verb ?? request.verb, path: path(request.path) };
      const all = { ...request.headers, ...headers };
      if (request.body === undefined) return { ...odd, headers: all, body: undefined, id: undefined };
      const tree = changes.reduce(changed, nodeOf(request.body));
      const whole = Buffer.from(textOf(tree));
      const body = damaged(whole);
      return { ...odd, headers: all, body, id: body === whole ? idOf(tree) : undefined };
    });

function idOf(tree: Node): string | undefined {
  const ids = tree.kind === 'object' ? tree.members.filter(([name]) => name === 'id') : [];
  const [, id] = ids[0] ?? [];
  if (ids.length !== 1 || id?.kind !== 'leaf' || /^["\d-]|^null$/.exec(id.text) === null) return undefined;
  return id.text;
}
