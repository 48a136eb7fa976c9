// Sends files: one of a single part as the form has it, larger ones in parts by the tus protocol. They go on where a connection broke off, and where
// an earlier page was closed.
const PART_BYTES = 8 * 1024 * 1024
/** A request whose bytes do not move for so long is given up, and one that gets no answer to them. */
const STALLED_MS = 30_000
const UNANSWERED_MS = 120_000
const WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

/** The keys of uploads, each with the time of its beginning and its address. After a day the server has removed them. */
const KEPT = 'parlance upload '
const KEPT_MS = 86_400_000

for (const key of Object.keys(localStorage))
  if (key.startsWith(KEPT) && parseInt(localStorage.getItem(key), 10) < Date.now() - KEPT_MS)
    localStorage.removeItem(key)

/** The end of a request after which the same file can go on. */
class Interrupted extends Error {
  constructor(message = 'The connection was interrupted', afterMs = 0) {
    super(message)
    this.afterMs = afterMs
  }
}

/** The end of an upload, in words for its user. */
export class Refused extends Error {}

/**
 * Sends a file, and returns the address of its session, with `known` if an earlier import has made it, or the element that says what an imported
 * library had. Throws Refused for one that cannot be imported, and AbortError once `signal` is aborted.
 * `beside` is the transcript of a recording, `uploads` is the address of uploads, `whole` that of the form, `token` the token of the form, and `fields` are imported with the file. `onSent`
 * gets the bytes that have arrived, and `onWait` why nothing moves, or undefined when it goes on.
 */
export async function transfer(file, { beside, uploads, whole, token, fields, signal, onSent, onWait }) {
  const size = file.size + (beside?.size ?? 0)
  const key = `${KEPT}${uploads} ${[file.size, file.lastModified, file.name].join(' ')}`
  const headers = { 'tus-resumable': '1.0.0', 'x-form-token': token }
  let failures = 0
  return await takingTurns(key, { signal, onWait }, send)

  async function send() {
    for (;;) {
      try {
        return await (size > PART_BYTES ? sendInParts() : sendWhole())
      } catch (error) {
        if (signal.aborted) await cancel()
        signal.throwIfAborted()
        if (!(error instanceof Interrupted)) throw error
        failures += 1
        onWait(error.message)
        await pause(Math.max(error.afterMs, Math.min(WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)), signal)
      }
    }
  }

  /** A repetition finds the session, because imports are compared by content. */
  async function sendWhole() {
    const form = await formOf([file, beside].filter(Boolean))
    return await resultIn(await exchange('POST', whole, form, { headers: {}, signal, onSent, onText }))
  }

  async function sendInParts() {
    const upload = (await resume()) ?? (await begin())
    onWait(undefined)
    while (upload.offset < file.size) {
      onSent(upload.offset)
      upload.offset = await append(upload)
      failures = 0
    }
    onSent(file.size)
    if (beside) return await resultIn(await sendBeside(upload))
    const body = new URLSearchParams(fields)
    return await resultIn(await ask(`${upload.address}/import`, { method: 'POST', body }), onText)
  }

  /** The page of a library grows while it is imported. */
  function onText(text) {
    const said = text.match(/<p [^>]*data-progress[^>]*>[^<]*/g)?.at(-1)
    if (said) onWait(said.replace(/^[^>]*>/, ''))
  }

  /** The upload of this file that was begun before, if the server still has it. One that was imported leads to its session without being sent again. */
  async function resume() {
    const address = localStorage.getItem(key)?.split(' ')[1]
    if (address === undefined) return undefined
    const reply = await ask(address, { method: 'HEAD', headers })
    if (reply.status === 404) {
      localStorage.removeItem(key)
      return undefined
    }
    await requireOk(reply)
    return { address, offset: Number(reply.headers.get('upload-offset')) }
  }

  async function begin() {
    const name = btoa(String.fromCharCode(...new TextEncoder().encode(file.name)))
    const about = { 'upload-length': String(file.size), 'upload-metadata': `filename ${name}` }
    const reply = await ask(uploads, { method: 'POST', headers: { ...headers, ...about } })
    await requireOk(reply)
    const address = reply.headers.get('location')
    localStorage.setItem(key, `${Date.now()} ${address}`)
    return { address, offset: 0 }
  }

  /** Sends the next part, and returns the bytes that have arrived since the beginning. */
  async function append({ address, offset }) {
    const part = file.slice(offset, offset + PART_BYTES)
    await requireReadable(part)
    const sent = await exchange('PATCH', address, part, {
      headers: { ...headers, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      signal,
      onSent: bytes => onSent(offset + bytes)
    })
    if (sent.status === 404) throw new Interrupted()
    await requireOk(sent)
    return Number(sent.headers.get('upload-offset'))
  }

  async function formOf(files) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    for (const one of files) {
      form.append('file', one)
      await requireReadable(one)
    }
    return form
  }

  async function sendBeside({ address }) {
    const form = await formOf([beside])
    const moved = bytes => onSent(Math.min(size, file.size + bytes))
    return await exchange('POST', `${address}/transcript`, form, { headers: {}, signal, onSent: moved })
  }

  async function ask(address, options) {
    return await fetch(address, { ...options, signal }).catch(() => {
      throw new Interrupted()
    })
  }

  /** What was sent of a cancelled file is removed; without a connection it is after a day. */
  async function cancel() {
    const address = localStorage.getItem(key)?.split(' ')[1]
    localStorage.removeItem(key)
    if (address !== undefined) await fetch(address, { method: 'DELETE', headers }).catch(() => {})
  }
}

/** One page of this browser at a time sends a file, because two would break each other's requests off. Plain HTTP has no locks. */
async function takingTurns(key, { signal, onWait }, send) {
  if (navigator.locks === undefined) return await send()
  const { held } = await navigator.locks.query()
  if (held.some(({ name }) => name === key)) onWait('Another page is sending this file')
  return await navigator.locks.request(key, { signal }, () => {
    onWait(undefined)
    return send()
  })
}

/** The answer to the form says what became of the file or of an imported library, or what is wrong. */
async function resultIn(reply, onText) {
  const page = new DOMParser().parseFromString(await textOf(reply, onText), 'text/html')
  const imported = page.querySelector('[data-imported]')
  const { session, outcome } = imported?.dataset ?? {}
  if (reply.ok && session) return { session, known: outcome === 'new' ? undefined : outcome }
  if (reply.ok && imported) return { imported }
  throw problemOf(reply, page.querySelector('main p')?.textContent)
}

/** The text of an answer, of which `onText` gets what is there so far. */
async function textOf(reply, onText) {
  if (!reply.body) return await reply.text()
  const pieces = reply.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { value, done } = await pieces.read().catch(() => {
      throw new Interrupted()
    })
    if (done) return text
    text += value
    onText(text)
  }
}

async function requireReadable(part) {
  await part
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new Refused('The file was moved or changed. Choose it again.')
    })
}

async function requireOk(reply) {
  if (reply.ok) return
  const { error } = await reply.json().catch(() => ({}))
  throw problemOf(reply, error?.message.replace(/^file: /, ''))
}

/** Another request may be sending the file, or the server is starting or busy: then it goes on later. */
function problemOf({ status, headers }, words = `The server answered with ${status}`) {
  const isPassing = [408, 409, 429].includes(status) || status >= 500
  if (isPassing) return new Interrupted(words, Number(headers.get('retry-after') ?? 0) * 1_000)
  return new Refused(words)
}

/** Sends a body with its progress, which fetch does not tell. Rejects with Interrupted if there is no answer. */
function exchange(method, address, body, { headers, signal, onSent, onText = () => {} }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    let limit = setTimeout(abort, STALLED_MS)
    const allow = ms => {
      clearTimeout(limit)
      limit = setTimeout(abort, ms)
    }
    request.open(method, address)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => {
      allow(STALLED_MS)
      onSent(loaded)
    })
    request.upload.addEventListener('load', () => allow(UNANSWERED_MS))
    request.addEventListener('progress', () => {
      allow(UNANSWERED_MS)
      onText(request.responseText)
    })
    request.addEventListener('loadend', () => {
      clearTimeout(limit)
      signal.removeEventListener('abort', abort)
      if (request.status === 0) return reject(new Interrupted())
      const { status, responseText } = request
      const shown = { get: name => request.getResponseHeader(name) }
      resolve({
        status,
        ok: status < 300,
        headers: shown,
        text: async () => responseText,
        json: async () => JSON.parse(responseText)
      })
    })
    signal.addEventListener('abort', abort)
    request.send(body)
  })
}

/** Waits, but not when the connection is back. */
function pause(ms, signal) {
  return new Promise(resolve => {
    const over = () => {
      clearTimeout(timer)
      removeEventListener('online', over)
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    addEventListener('online', over)
    signal.addEventListener('abort', over)
  })
}
