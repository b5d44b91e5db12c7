import { taskStateFromJSON, taskStateToJSON } from '@a2a-js/sdk';
import type { TaskState } from '../domain/task.js';

/** What each state is called on the wire (A2A 1.0, 4.1.3). */
export const stateNames = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
} as const satisfies Record<TaskState, string>;

/** The state of a name or number of the wire; undefined for any other, TASK_STATE_UNSPECIFIED among them. */
export function readState(value: string | number | undefined): TaskState | undefined {
  return states.get(taskStateToJSON(taskStateFromJSON(value)));
}

const states: ReadonlyMap<string, TaskState> = new Map([
  [stateNames.submitted, 'submitted'],
  [stateNames.working, 'working'],
  [stateNames['input-required'], 'input-required'],
  [stateNames['auth-required'], 'auth-required'],
  [stateNames.completed, 'completed'],
  [stateNames.failed, 'failed'],
  [stateNames.canceled, 'canceled'],
  [stateNames.rejected, 'rejected'],
]);
