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
import { within } from '../../platform/core/within.ts'
import { agentFor } from '../../platform/net/tunnel-agent.ts'
import type { Tracing, TracingSettings } from './tracing.ts'

const EXPORT_MS = 5_000
const CLOSE_MS = 3_000

/** Other attributes, which a library adds, may hold a path, a query or users' text. */
const EXPORTED_ATTRIBUTES = new Set(['http.request.method', 'http.route', 'http.response.status_code'])

/**
 * Exports one span for each request over OTLP/HTTP as JSON, in batches. The span is named by method and route template. Each trace begins
 * here: a caller's trace context is ignored.
 */
export function otlpTracing(
  { endpoint, ratio, attributes, version, headers = {}, ...outbound }: TracingSettings,
  onError: (reason: string) => void
): Tracing {
  const agent = agentFor(new URL(endpoint), outbound)
  const agents = agent && { httpAgentOptions: () => agent }
  const exporter = requestExporter(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_MS, headers, ...agents }),
    onError
  )
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...attributes, 'service.version': version }),
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        exportTimeoutMillis: EXPORT_MS,
        maxQueueSize: 2_048,
        scheduledDelayMillis: 1_000
      })
    ]
  })
  const instrumentation = new FastifyOtelInstrumentation({
    recordExceptions: false,
    instrumentHooks: false,
    instrumentHandler: false,
    requestHook: nameSpan
  })
  instrumentation.setTracerProvider(provider)
  return {
    plugin: instrumentation.plugin(),
    close: () => within(CLOSE_MS, provider.shutdown()).catch(() => {})
  }
}

function nameSpan(span: Span, request: FastifyRequest) {
  span.updateName(request.is404 ? 'unknown' : `${request.method} ${request.routeOptions.url}`)
}

/** A copy of the span with exported attributes only. */
function exportedSpan(span: ReadableSpan): ReadableSpan {
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([key]) => EXPORTED_ATTRIBUTES.has(key)))
  // A 4xx is not an error of the server, and the message of an error may quote users' text.
  const code = Number(attributes['http.response.status_code']) >= 500 ? SpanStatusCode.ERROR : SpanStatusCode.UNSET
  return Object.create(span, { attributes: { value: attributes }, status: { value: { code } }, events: { value: [] } })
}

/** Exports spans of requests. Reports once that the collector refuses them, and again only after it has accepted some. */
function requestExporter(exporter: SpanExporter, onError: (reason: string) => void): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      // The library makes spans of hooks and handlers too.
      const requests = spans.filter(({ kind }) => kind === SpanKind.SERVER).map(exportedSpan)
      exporter.export(requests, result => {
        const failed = result.code !== 0
        if (failed && !failing) onError(result.error?.message ?? 'unknown')
        failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown()
  }
}
