import createFetchClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

export type Schemas = components['schemas']
export type { paths }

export interface ClientOptions {
  /** Of the server, such as `https://parlance.example.com`. */
  url: string
  token: string
  /** How often a refused request is sent again when the server says after how long; 3 unless given. */
  retries?: number
}

/** What the server answers when it refuses or fails. */
export class ParlanceError extends Error {
  readonly status: number
  /** For programs; `message` is for people. */
  readonly code: string
  /** The invalid parameter or field, where one is the cause. */
  readonly param: string | undefined
  /** Of the `X-Request-Id` header, to quote when something is wrong. */
  readonly requestId: string | null

  constructor({
    status,
    code,
    message,
    param,
    requestId
  }: Pick<ParlanceError, 'status' | 'code' | 'message' | 'param' | 'requestId'>) {
    super(message)
    this.name = 'ParlanceError'
    this.status = status
    this.code = code
    this.param = param
    this.requestId = requestId
  }
}

/**
 * A client with a method for each HTTP method, typed by path: `client.GET('/v1/sessions/{id}', { params: { path: { id } } })`
 * resolves to `{ data, response }`. What is refused throws a ParlanceError. After a 429 or 503 it waits as long as the server
 * asks, a minute at most, and sends the request again, if that changes nothing twice.
 */
export function createClient({ url, token, retries = 3 }: ClientOptions) {
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${token}` },
    fetch: request => fetchPatiently(request, retries)
  })
  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw await errorOf(response)
    }
  })
  return client
}

const LONGEST_WAIT_SECONDS = 60

async function fetchPatiently(request: Request, retries: number): Promise<Response> {
  const response = await fetch(request.clone())
  // What a refusal of the limiter stopped was not begun; what was unavailable may have been.
  const repeatable = response.status === 429 || (response.status === 503 && request.method === 'GET')
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  if (!repeatable || retries <= 0 || !(seconds <= LONGEST_WAIT_SECONDS)) return response
  await response.body?.cancel()
  await new Promise(done => setTimeout(done, seconds * 1_000))
  return await fetchPatiently(request, retries - 1)
}

async function errorOf(response: Response) {
  const body = (await response.json().catch(() => ({}))) as {
    error?: { code?: string; message?: string; param?: string }
  }
  return new ParlanceError({
    status: response.status,
    code: body.error?.code ?? 'unknown',
    message: body.error?.message ?? `The server answers with ${response.status}`,
    param: body.error?.param,
    requestId: response.headers.get('x-request-id')
  })
}

type Client = ReturnType<typeof createClient>

type ListQuery = Omit<
  NonNullable<paths['/v1/sessions']['get']['parameters']['query']>,
  'include' | 'order' | 'updated_since'
>

/** Every own session of the list, newest first, a page at a time. */
export async function* sessionsOf(client: Client, query: ListQuery = {}) {
  let cursor = query.cursor
  do {
    const { data } = await client.GET('/v1/sessions', {
      params: { query: { ...query, ...(cursor !== undefined && { cursor }) } }
    })
    // Those that others share come with `include` alone.
    yield* (data?.sessions ?? []) as Schemas['SessionListItem'][]
    cursor = data?.has_more ? (data.next_cursor ?? undefined) : undefined
  } while (cursor !== undefined)
}

/**
 * Hands every event to `handle`, in order, and acknowledges those that it has taken, page by page, so that the next run with
 * this token goes on after them. Ends when there is nothing new.
 */
export async function takeEvents(client: Client, handle: (event: Schemas['EventEnvelope']) => Promise<void> | void) {
  for (;;) {
    const { data } = await client.GET('/v1/events', { params: { query: {} } })
    const events = data?.events ?? []
    for (const event of events) await handle(event)
    const last = events.at(-1)
    if (last) await client.POST('/v1/events/ack', { body: { cursor: last.seq } })
    if (!data?.has_more) return
  }
}
