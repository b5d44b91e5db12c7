import {
  count,
  readBindings,
  readOrigins,
  readPath,
  readPublicUrl,
  readWord,
  type Setting,
  toggle,
} from '../setting.js';

/** Where the server is, and who may talk to it. */
export const networkSettings = {
  host: {
    group: 'Network',
    value: 'HOST',
    fallback: '127.0.0.1',
    help: 'The address to listen on.',
    read: readWord,
  },
  port: count({
    group: 'Network',
    fallback: '8000',
    from: '0',
    to: '65535',
    help: 'The port to listen on; 0 takes any free one.',
  }),
  publicUrl: {
    group: 'Network',
    value: 'URL',
    fallback: undefined,
    help: 'The URL under which clients reach this server, for its card; needed off loopback and behind a proxy.',
    read: readPublicUrl,
  },
  bindings: {
    group: 'Network',
    value: 'LIST',
    fallback: 'json-rpc,http-json',
    shape: 'list',
    help: 'Which bindings of A2A are served and on the card: json-rpc, http-json, grpc.',
    read: readBindings,
  },
  grpcPort: count({
    group: 'Network',
    fallback: '8001',
    from: '0',
    to: '65535',
    help: 'The port of the binding over gRPC, where it is served; 0 takes any free one.',
  }),
  grpcAddress: {
    group: 'Network',
    value: 'HOST:PORT',
    fallback: undefined,
    help: 'Where clients reach the binding over gRPC, for the card; needed with --public-url.',
    read: readWord,
  },
  allowedOrigins: {
    group: 'Network',
    value: 'ORIGINS',
    fallback: '',
    shape: 'list',
    help: 'Web origins, beside its own, whose pages may call this server.',
    read: readOrigins,
  },
  allowUnauthenticated: toggle({
    group: 'Network',
    help: 'Serve without authentication and without a warning; on loopback only.',
  }),
  card: {
    group: 'Network',
    value: 'FILE',
    fallback: undefined,
    help: 'The hand-written half of the agent card (name, description, provider, skills) in place of the one shipped.',
    read: readPath,
  },
  strictCard: toggle({
    group: 'Network',
    help: 'Leave out of the card the extra keys that agent-output/v1 asks for and A2A 1.0 does not know.',
  }),
} as const satisfies Record<string, Setting>;
