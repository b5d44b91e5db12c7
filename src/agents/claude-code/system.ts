import type { OutputEvent } from '../../domain/agent.js';
import { type JsonLine, textAt } from '../kit/json-line.js';

/** What a `system` line means: the session, or something about the run that is not conversation. */
export function decodeSystem({ shape, exact }: JsonLine): readonly OutputEvent[] | undefined {
  const subtype = textAt(shape, 'subtype') ?? '';
  const tool = textAt(shape, 'tool_use_id');
  const by = tool === undefined ? {} : { parent: tool };
  switch (subtype) {
    case 'init': {
      const id = textAt(shape, 'session_id');
      const model = textAt(shape, 'model');
      if (id === undefined) return undefined;
      return [
        { type: 'session', id },
        ...(model === undefined ? [] : [{ type: 'usage', model } as const]),
        {
          type: 'status',
          status: 'init',
          text: model === undefined ? 'Session begun.' : `Session begun with ${model}.`,
        },
      ];
    }
    case 'status': {
      const status = textAt(shape, 'status');
      if (status === undefined || status === 'requesting') return [];
      return [{ type: 'status', status, text: textAt(shape, 'message') ?? status }];
    }
    case 'api_retry':
      return [{ type: 'status', status: 'retry', text: retryText(shape) }];
    case 'permission_denied':
      return [{ type: 'status', status: 'permission_denied', text: textAt(shape, 'message') ?? '' }];
    case 'compact_boundary':
      return [{ type: 'status', status: 'compacted', text: 'The conversation was made shorter.' }];
    case 'task_started':
      return [{ type: 'status', status: 'task_started', text: textAt(shape, 'description') ?? '', ...by }];
    case 'task_notification': {
      const status = `task_${textAt(shape, 'status') ?? 'completed'}`;
      return [{ type: 'status', status, text: textAt(shape, 'summary') ?? '', ...by }];
    }
    case 'hook_started':
    case 'hook_response':
    case 'informational':
    case 'local_command_output':
    case 'notification':
      return [{ type: 'status', status: subtype, text: saying(shape) ?? exact() ?? '' }];
    case 'thinking_tokens':
    case 'ui_invalidate':
    case 'background_tasks_changed':
    case 'task_updated':
    case 'task_progress':
    case 'session_state_changed':
      return [];
    default:
      return undefined;
  }
}

function retryText(shape: JsonLine['shape']): string {
  const { attempt, max_retries: most, retry_delay_ms: delayMs, error_status: status, error } = shape;
  const why = [
    ...(typeof status === 'number' ? [`HTTP ${status}`] : []),
    ...(typeof error === 'string' ? [error] : []),
  ];
  const seconds = typeof delayMs === 'number' ? ` in ${(delayMs / 1_000).toFixed(1)} s` : '';
  return `The model did not answer (${why.join(', ')}); retry ${attempt} of ${most}${seconds}.`;
}

function saying(shape: JsonLine['shape']): string | undefined {
  for (const key of ['content', 'message', 'text', 'output']) {
    const text = textAt(shape, key);
    if (text !== undefined) return text;
  }
  return undefined;
}
