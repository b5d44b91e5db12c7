import type { IncomingHttpHeaders } from 'node:http';
import type { LogFields, Span, Tracing } from '../domain/ports.js';

/** Traces of requests and of what they set in motion; `close` sends what was not yet sent. */
export interface ServerTracing extends Tracing {
  /** The span of a request, within the trace that its headers name (W3C Trace Context), else of a new one. */
  serve(name: string, headers: IncomingHttpHeaders): Span;
  close(): Promise<void>;
}

/** Whether OpenTelemetry's own environment variables ask for traces. */
export const asksForTraces = (env: Readonly<Record<string, string | undefined>>): boolean => {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false;
  return (
    env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined ||
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined ||
    env.OTEL_TRACES_EXPORTER === 'otlp'
  );
};

/**
 * Sends traces over OTLP to where the standard variables say, under the service name of OTEL_SERVICE_NAME. Only called
 * where they ask for it, since the SDK takes longer to load than all of this server.
 */
export async function createTracing(): Promise<ServerTracing> {
  const { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import(
    '@opentelemetry/api'
  );
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  );
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'kedi-a2a-server' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  // Makes the context that is active in one place the one of all that is awaited there.
  provider.register();
  const tracer = trace.getTracer('kedi-a2a-server');

  const start = (
    name: string,
    {
      attributes = {},
      kind = SpanKind.INTERNAL,
      parent = context.active(),
    }: {
      readonly attributes?: LogFields;
      readonly kind?: number;
      readonly parent?: ReturnType<typeof context.active>;
    },
  ): Span => {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    return {
      within: (run) => context.with(trace.setSpan(parent, span), run),
      end(failure) {
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        span.end();
      },
    };
  };

  return {
    start: (name, attributes) => start(name, { attributes }),
    serve: (name, headers) =>
      start(name, { kind: SpanKind.SERVER, parent: propagation.extract(ROOT_CONTEXT, headers) }),
    close: () => provider.shutdown(),
  };
}
