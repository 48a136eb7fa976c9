import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { textOfSound } from './sound.ts'

export type AiEndpoint = 'chat' | 'embeddings' | 'models' | 'transcriptions'

export interface AiRequest {
  endpoint: AiEndpoint
  headers: IncomingHttpHeaders
  /** The fields of the request's JSON that the server and the tests read. */
  body: {
    model?: string
    messages?: { role: string; content: string }[]
    temperature?: number
    response_format?: { type: string; json_schema?: { name: string; strict: boolean; schema: Record<string, unknown> } }
    input?: string[]
    encoding_format?: string
  }
  /** The fields of a form, besides its file. */
  form?: Record<string, unknown>
  file?: { name: string; type: string; content: string; bytes: Buffer }
}

export type AiReply = (request: AiRequest, response: ServerResponse) => void

export interface AiServer {
  /** The base URL, up to and including /v1. */
  url: string
  /** Every request that arrived, oldest first. */
  requests: AiRequest[]
  /** Sets replies to the next requests to the endpoint, one each. Later requests get its standing reply again. */
  script(endpoint: AiEndpoint, ...replies: AiReply[]): void
  /** Replaces the standing reply of the endpoint, by default a good answer computed from the request. */
  answer(endpoint: AiEndpoint, reply: AiReply): void
  close(): Promise<void>
}

/** Starts a server on a free port that speaks OpenAI's protocol: chat completions, embeddings and models. */
export async function startAiServer(): Promise<AiServer> {
  const requests: AiRequest[] = []
  const standing: Record<AiEndpoint, AiReply> = {
    chat: goodMinutes,
    embeddings: goodVectors,
    models: json({ object: 'list', data: [] }),
    transcriptions: goodTranscript
  }
  const scripted: Record<AiEndpoint, AiReply[]> = { chat: [], embeddings: [], models: [], transcriptions: [] }
  const server = createServer((incoming, response) => {
    const endpoint = endpointOf(incoming.url)
    if (!endpoint) return status(404, `No such path: ${incoming.url}`)(undefined, response)
    buffer(incoming).then(
      async sent => {
        const request: AiRequest = { endpoint, headers: incoming.headers, ...(await contentOf(sent, incoming.headers)) }
        requests.push(request)
        const reply = scripted[endpoint].shift() ?? standing[endpoint]
        reply(request, response)
      },
      // The client left while it was sending.
      () => response.destroy()
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script: (endpoint, ...replies) => scripted[endpoint].push(...replies),
    answer: (endpoint, reply) => {
      standing[endpoint] = reply
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

async function contentOf(
  sent: Buffer<ArrayBuffer>,
  headers: IncomingHttpHeaders
): Promise<Pick<AiRequest, 'body' | 'form' | 'file'>> {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return { body: JSON.parse(sent.toString() || '{}') }
  const fields = await new Response(sent, { headers: { 'content-type': type } }).formData()
  const names = [...new Set(fields.keys())]
  const { file, ...form } = Object.fromEntries(
    names.map(name => {
      const [first, ...others] = fields.getAll(name)
      return [name, others.length === 0 ? first : [first, ...others]]
    })
  )
  if (!(file instanceof File)) throw new Error('The form has no file')
  const bytes = Buffer.from(await file.arrayBuffer())
  return { body: {}, form, file: { name: file.name, type: file.type, content: textOfSound(bytes), bytes } }
}

function endpointOf(path: string | undefined): AiEndpoint | undefined {
  if (path === '/v1/chat/completions') return 'chat'
  if (path === '/v1/embeddings') return 'embeddings'
  if (path === '/v1/audio/transcriptions') return 'transcriptions'
  return path === '/v1/models' ? 'models' : undefined
}

export function json(value: unknown) {
  return body(JSON.stringify(value), 'application/json')
}

export function body(content: string, contentType: string) {
  return (_: unknown, response: ServerResponse) => void response.setHeader('content-type', contentType).end(content)
}

/** A refusal, with a Retry-After of a millisecond. */
export function status(code: number, message: string, headers: Record<string, string> = { 'retry-after-ms': '1' }) {
  return (_: unknown, response: ServerResponse) =>
    void response
      .writeHead(code, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message } }))
}

/** Takes the request and never answers. */
export const hang: AiReply = () => undefined

export const reset: AiReply = (_, response) => void response.socket?.resetAndDestroy()

/** Answers with status 200, then one byte at a time without end. */
export const drip: AiReply = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 5)
  response.on('close', () => clearInterval(timer))
}

/** Answers with status 200, then endless bytes as fast as the client reads. */
export const flood: AiReply = (_, response) => {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  response.writeHead(200, { 'content-type': 'application/json' })
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour)
  pour()
}

/** A completion with this content (an object is written as JSON), refusal or finish reason. */
export function completion(content: unknown, choice: { finishReason?: string; refusal?: string } = {}) {
  const written = typeof content === 'string' || content === null ? content : JSON.stringify(content)
  const message = { role: 'assistant', content: written, refusal: choice.refusal ?? null }
  return json({
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: choice.finishReason ?? 'stop', message }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
  })
}

export function vectors(...embeddings: unknown[]) {
  return json({
    object: 'list',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  })
}

/** Refuses every request that asks for a JSON schema, as older servers do. */
export const withoutJsonSchema: AiReply = (request, response) =>
  request.body.response_format?.type === 'json_schema'
    ? status(400, "Invalid value for 'response_format.type': 'json_schema'")(request, response)
    : goodMinutes(request, response)

/**
 * Minutes computed from the transcript: a key point for each speaker's first line, an open question for each line that
 * ends as one, an action item for each "I'll …", due "by …". Minutes of parts are merged, statements with the same words grouped.
 */
export const goodMinutes: AiReply = (request, response) => {
  const content = request.body.messages?.at(-1)?.content ?? ''
  const answer = /^### Part \d+$/m.test(content) ? mergedMinutes(content) : minutesOf(content)
  completion(answer)(request, response)
}

function minutesOf(content: string) {
  const lines = [...content.matchAll(/^\[(\d+)\] ([^:]+): (.+)$/gm)].map(([, line, speaker, text]) => ({
    line: Number(line),
    speaker: speaker!,
    text: text!
  }))
  const speakers = [...new Set(lines.map(({ speaker }) => speaker))]
  const points = speakers.map(name => {
    const { line, text } = lines.find(({ speaker }) => speaker === name)!
    return { lines: [line], speaker: name, topic: null, text }
  })
  const questions = lines
    .filter(({ text }) => text.endsWith('?'))
    .map(({ line, speaker, text }) => ({ lines: [line], speaker, text }))
  const promises = lines.flatMap(({ line, speaker, text }) =>
    [...text.matchAll(/\bI(?:'ll| will) ([^.?!]+?)(?: by (\w+))?[.!]/g)].map(([, task, day]) => ({
      lines: [line],
      kind: 'promised',
      text: task!,
      assignee: speaker,
      due_date: day ?? null
    }))
  )
  return {
    language: 'en',
    points,
    decisions: [],
    questions,
    action_items: promises,
    names: speakers,
    open_topics: [],
    overview_lines: lines.slice(0, 1).map(({ line }) => line),
    overview: `${speakers.join(' and ')} spoke.`,
    title: null
  }
}

function mergedMinutes(content: string) {
  const listed = content.split(/^(?=(?:Decisions|Action items|Open questions|Points):$)/m).slice(1)
  const statements = listed.flatMap(list =>
    [...list.matchAll(/^\((\d+)\) (.+)$/gm)].map(([, number, text]) => ({
      kind: list.slice(0, list.indexOf(':')),
      number: Number(number),
      text: text!
    }))
  )
  const same = [...Map.groupBy(statements, ({ kind, text }) => `${kind} ${text}`).values()]
  const points = statements.filter(({ kind }) => kind === 'Points').map(({ number }) => number)
  return {
    same: same.filter(group => group.length > 1).map(group => group.map(({ number }) => number)),
    answered: [],
    sections: [{ points, heading: null }],
    overview_of: points.slice(0, 1),
    overview: `It has ${content.match(/^### Part/gm)?.length} parts.`,
    title: null
  }
}

/** A transcript of a recording whose title is a text: each line is a segment of two seconds. */
export const goodTranscript: AiReply = ({ form, file }, response) => {
  const lines = file?.content.split('\n').filter(Boolean) ?? []
  const said = { text: lines.join(' ') }
  const segments = lines.map((text, id) => ({ id, start: id * 2, end: id * 2 + 2, text: ` ${text}` }))
  const verbose = { task: 'transcribe', language: 'english', duration: lines.length * 2 + 0.5, ...said, segments }
  json(form?.response_format === 'verbose_json' ? verbose : said)(undefined, response)
}

/** Texts that share words get similar vectors. */
export const goodVectors: AiReply = (request, response) =>
  vectors(...(request.body.input ?? []).map(text => wordVector(text, 64)))(request, response)

export function wordVector(text: string, dimension: number): number[] {
  const vector = Array<number>(dimension).fill(0.01)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const hash = [...word].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 1_000_003, 7)
    vector[hash % dimension]! += 1
  }
  return vector
}
