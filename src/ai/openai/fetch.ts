import type { ClientOptions } from 'openai'
import { type Dispatcher, request, FormData as UndiciForm } from 'undici'
import { z } from 'zod'

/** An answer larger than anything the provider has reason to send. */
export class BodyTooLarge extends Error {}

const PASSED_ON = ['content-type', 'retry-after', 'retry-after-ms']

/**
 * A fetch that resolves once the whole body is in memory. The SDK's own time-out ends with the headers and its
 * bodies have no bound; read here, they fall under the caller's signal and under `maxBytes`. Redirects are not
 * followed, since a POST would arrive as a GET.
 */
export function boundedFetch(dispatcher: Dispatcher, maxBytes: number): NonNullable<ClientOptions['fetch']> {
  return async (url, init = {}) => {
    const { statusCode, headers, body } = await request(url instanceof Request ? url.url : url, {
      dispatcher,
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: bodyOf(init.body),
      signal: init.signal ?? null
    })
    const text = await read(body, maxBytes)
    const kept = PASSED_ON.flatMap(name => (typeof headers[name] === 'string' ? [[name, headers[name]] satisfies [string, string]] : []))
    const empty = statusCode === 204 || statusCode === 205 || statusCode === 304
    return new Response(empty ? null : statusCode >= 400 ? asSdkError(text) : text, { status: statusCode, headers: kept })
  }
}

/** A form goes out as its files are read. The SDK knows Node's own forms, the dispatcher those of its package. */
function bodyOf(body: unknown) {
  if (!(body instanceof FormData)) return typeof body === 'string' ? body : null
  const form = new UndiciForm()
  for (const [name, value] of body) form.append(name, value)
  return form
}

async function read(body: AsyncIterable<Buffer>, maxBytes: number) {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop destroys the connection.
    if (bytes > maxBytes) throw new BodyTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const reason = z.string().min(1)
const ErrorAnswer = z.union([
  z.object({ error: z.object({ message: reason, code: z.unknown().optional() }) }).transform(({ error }) => error),
  z.object({ error: reason }).transform(({ error }) => ({ message: error, code: undefined })),
  z.object({ message: reason, code: z.unknown().optional() }),
  z.object({ detail: reason }).transform(({ detail }) => ({ message: detail, code: undefined })),
  z.object({ detail: z.array(z.object({ msg: reason })).min(1) }).transform(({ detail }) => ({ message: detail[0]?.msg, code: undefined }))
])

/** The SDK reads the reason from `error.message` alone; compatible servers also write `error`, `message`, `detail` or plain text. */
function asSdkError(text: string) {
  return JSON.stringify({ error: ErrorAnswer.safeParse(parsed(text)).data ?? { message: text.slice(0, 1000) || 'no reason given' } })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
