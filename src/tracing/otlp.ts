import { FastifyOtelInstrumentation } from '@fastify/otel'
import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider
} from '@opentelemetry/sdk-trace'
import type { FastifyRequest } from 'fastify'
import { within } from '../core/within.ts'
import type { Tracing, TracingSettings } from './tracing.ts'

const EXPORT_MS = 5_000
const CLOSE_MS = 3_000

/** All that is told of a request: whatever a library adds besides may hold a path, a query or words of the caller. */
const TOLD = new Set(['http.request.method', 'http.route', 'http.response.status_code'])

/**
 * One span for each request, named by method and template of the route, sent in batches over OTLP/HTTP as JSON. A trace
 * begins here: what a caller says of its own is not taken over.
 */
export function otlpTracing({ endpoint, ratio, version }: TracingSettings, onFault: (reason: string) => void): Tracing {
  const exporter = telling(new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_MS }), onFault)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'parlance', 'service.version': version }),
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS, maxQueueSize: 2_048, scheduledDelayMillis: 1_000 })]
  })
  const instrumentation = new FastifyOtelInstrumentation({
    recordExceptions: false,
    instrumentHooks: false,
    instrumentHandler: false,
    requestHook: name
  })
  instrumentation.setTracerProvider(provider)
  return {
    plugin: instrumentation.plugin(),
    close: () => within(CLOSE_MS, provider.shutdown()).catch(() => {})
  }
}

function name(span: Span, request: FastifyRequest) {
  span.updateName(request.is404 ? 'unknown' : `${request.method} ${request.routeOptions.url}`)
}

/** The span with what may be told, and nothing else. */
function sparing(span: ReadableSpan): ReadableSpan {
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([key]) => TOLD.has(key)))
  // What the server refuses is no fault of its own, and the message of a fault may quote what it was about.
  const code = Number(attributes['http.response.status_code']) >= 500 ? SpanStatusCode.ERROR : SpanStatusCode.UNSET
  return Object.create(span, { attributes: { value: attributes }, status: { value: { code } }, events: { value: [] } })
}

/** Says once that the collector takes nothing, and again only after it has taken something. */
function telling(exporter: SpanExporter, onFault: (reason: string) => void): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      // Requests alone: what a library adds for its own parts is no concern of the operator's.
      const requests = spans.filter(({ kind }) => kind === SpanKind.SERVER).map(sparing)
      exporter.export(requests, result => {
        const failed = result.code !== 0
        if (failed && !failing) onFault(result.error?.message ?? 'unknown')
        failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown()
  }
}
