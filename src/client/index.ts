export { type Answer, ask, askLive, type Question, type Request } from './ask.js';
export { fetchCard, type PeerCard, type PeerInterface } from './card.js';
export { checkCard, type Finding } from './check-card.js';
export type { Credentials } from './credentials.js';
export { type ChatFrame, follow } from './follow.js';
export { openPeer, type Peer } from './peer.js';
export { type Product, produce, produceLive, type TypedRequest } from './produce.js';
