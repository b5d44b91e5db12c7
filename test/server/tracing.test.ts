import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asksForTraces } from '../../src/server/tracing.js';
import { startServer } from '../support/server.js';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
}

/** A collector that takes OTLP as JSON. */
async function collector() {
  const spans: Span[] = [];
  const services: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      for (const { key, value } of resource.attributes)
        if (key === 'service.name') services.push(value.stringValue);
      for (const { spans: found } of scopeSpans) spans.push(...found);
    }
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, services };
}

describe('Traces', () => {
  it('go where the standard variables say: request, turn, agent and check, within the trace of the caller', async () => {
    const { url, spans, services } = await collector();
    const server = await startServer({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SERVICE_NAME: 'my-agent' },
    });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const uri = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }], extensions: [uri] },
        configuration: { acceptedOutputModes: ['application/json'] },
        metadata: {
          kediStructuredOutput: { version: 1, resultEncoding: 'json-utf8', schemaJson: '{"type":"string"}' },
        },
      },
    };
    await fetch(`${server.url}/a2a`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'A2A-Version': '1.0',
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify(body),
    });
    // What is left is sent when the server ends.
    await server.stop();
    const named = (name: string) => spans.find((span) => span.name === name);
    const [request, turn] = [named('POST json-rpc'), named('turn')];
    expect(spans.map((span) => span.name).sort()).toEqual(['POST json-rpc', 'agent', 'check', 'turn']);
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(request?.parentSpanId).toBe('b7ad6b7169203331');
    expect(turn?.parentSpanId).toBe(request?.spanId);
    expect([named('agent')?.parentSpanId, named('check')?.parentSpanId]).toEqual([
      turn?.spanId,
      turn?.spanId,
    ]);
    expect(services).toContain('my-agent');
  });

  it('are off unless they are asked for', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
    expect(asksForTraces({})).toBe(false);
    expect(asksForTraces(endpoint)).toBe(true);
    expect(asksForTraces({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBe(false);
    expect(asksForTraces({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBe(false);
  });
});
