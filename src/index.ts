/** Agents of your own. */
export {
  type AgentDefinition,
  type AgentResult,
  type AgentSaying,
  type ArtifactPart,
  defineAgent,
  type ModuleSurroundings,
} from './agents/define-agent.js';
/** Agents as others serve them: asking, typed answers, the chat. */
export {
  type Answer,
  ask,
  askLive,
  type ChatFrame,
  type Credentials,
  checkCard,
  type Finding,
  fetchCard,
  follow,
  openPeer,
  type Peer,
  type PeerCard,
  type PeerInterface,
  type Product,
  produce,
  produceLive,
  type Question,
  type Request,
  type TypedRequest,
} from './client/index.js';
export type {
  Agent,
  AgentKind,
  AgentOptionsSchema,
  AgentSurroundings,
  FinishReason,
  Line,
  Outcome,
  OutputEvent,
  OutputSource,
  StructuredWay,
  Turn,
} from './domain/agent.js';
export { type FailureCode, type FieldViolation, failures, KediError } from './domain/errors.js';
export type { JsonText } from './domain/json.js';
export type { Artifact, Message, Part } from './domain/message.js';
export type { LogFields, Logger } from './domain/ports.js';
export type { OutputSchema, SchemaJudge, Verdict, Violation } from './domain/schema.js';
/** Schemas for typed requests; more of them under `kedi-a2a-server/schema`. */
export { createJudge } from './schema/index.js';
/** A server within a program of yours. */
export { createServer, type Server, type ServerParts, type ServerSettings } from './server/index.js';
export { createLogger, type LogSink } from './server/logger.js';
export { readSettings, type Sources } from './server/read-settings.js';
export type { SettingName, Settings } from './server/settings.js';
export { type RunningServer, startServer } from './server/start.js';
