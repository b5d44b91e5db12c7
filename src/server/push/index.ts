import type { Logger } from '../../domain/ports.js';
import type { Store } from '../../store/index.js';
import type { Settings } from '../settings.js';
import { createDestinations } from './destination.js';
import { createPushOperations, type PushOperations } from './operations.js';
import { createPushSender, type PushSender } from './sender.js';

/** Push notifications (A2A 1.0, 3.5.3): what clients ask for, and the sending of it. */
export interface Push {
  readonly operations: PushOperations;
  readonly sender: PushSender;
}

export function createPush({
  settings,
  store: { log, webhooks },
  logger,
}: {
  readonly settings: Pick<Settings, 'allowWebhooks'>;
  readonly store: Pick<Store, 'log' | 'webhooks'>;
  readonly logger: Logger;
}): Push {
  const destinations = createDestinations({ allow: settings.allowWebhooks });
  const sender = createPushSender({ log, webhooks, destinations, logger });
  return { sender, operations: createPushOperations({ log, webhooks, sender, destinations }) };
}
