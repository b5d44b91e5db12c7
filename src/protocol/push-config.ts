import { type Fields, integer, object, type Params, readFields, requiredText, text } from './fields.js';

/** Where and how a client wants to be told of a task (A2A 1.0, 4.3.1); `id` empty: the server names it. */
export interface PushConfig {
  readonly id: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

/** Params of GetTaskPushNotificationConfig (3.1.8) and DeleteTaskPushNotificationConfig (3.1.10). */
export interface PushConfigRequest {
  readonly taskId: string;
  readonly id: string;
}

/** Params of ListTaskPushNotificationConfigs (3.1.9). */
export interface ListPushConfigsRequest {
  readonly taskId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** Params of CreateTaskPushNotificationConfig (3.1.7). */
export const readCreatePushConfig = (params: Params | undefined): PushConfig & { readonly taskId: string } =>
  readFields(params, (request) => ({ taskId: requiredText(request, 'taskId'), ...readPushConfig(request) }));

export const readPushConfigId = (params: Params | undefined): PushConfigRequest =>
  readFields(params, (request) => ({
    taskId: requiredText(request, 'taskId'),
    id: requiredText(request, 'id'),
  }));

export const readListPushConfigs = (params: Params | undefined): ListPushConfigsRequest =>
  readFields(params, (request) => ({
    taskId: requiredText(request, 'taskId'),
    pageSize: integer(request, { name: 'pageSize', from: 0 }) || 100,
    pageToken: text(request, 'pageToken'),
  }));

/** A TaskPushNotificationConfig, in a request of its own or within the configuration of a message (3.2.2). */
export function readPushConfig(fields: Fields): PushConfig {
  const authentication = object(fields, 'authentication');
  const token = text(fields, 'token');
  return {
    id: text(fields, 'id'),
    url: requiredText(fields, 'url'),
    ...(token !== '' && { token }),
    ...(authentication !== undefined && { authentication: readAuthentication(authentication) }),
  };
}

function readAuthentication(fields: Fields): NonNullable<PushConfig['authentication']> {
  const credentials = text(fields, 'credentials');
  return { scheme: requiredText(fields, 'scheme'), ...(credentials !== '' && { credentials }) };
}

/** ProtoJSON of a TaskPushNotificationConfig. */
export const writePushConfig = ({
  taskId,
  id,
  url,
  token,
  authentication,
}: PushConfig & { readonly taskId: string }): string =>
  JSON.stringify({ id, taskId, url, token, authentication });

/** ProtoJSON of a ListTaskPushNotificationConfigsResponse. */
export const writePushConfigs = (
  configs: readonly (PushConfig & { readonly taskId: string })[],
  nextPageToken: string,
): string =>
  `{"configs":[${configs.map(writePushConfig).join(',')}],"nextPageToken":${JSON.stringify(nextPageToken)}}`;
