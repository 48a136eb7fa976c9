// Sends files in parts by the tus protocol. A file goes on by itself where a connection broke off, and where an earlier page was closed.
const PART_BYTES = 8 * 1024 * 1024
/** A request on which nothing moves for so long is given up. */
const STALLED_MS = 30_000
const WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

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
 * Sends a file, and returns the address of its session. Throws Refused for one that cannot be imported, and AbortError once `signal` is aborted.
 * `uploads` is the address of uploads, `token` that of the form, and `fields` are imported with the file. `onSent` gets the bytes that have
 * arrived, and `onWait` why nothing moves, or undefined when it goes on.
 */
export async function transfer(file, { uploads, token, fields, signal, onSent, onWait }) {
  const key = `parlance ${uploads} ${[file.size, file.lastModified, file.name].join(' ')}`
  const headers = { 'tus-resumable': '1.0.0', 'x-form-token': token }
  let failures = 0

  for (;;) {
    let upload
    try {
      upload = (await resume()) ?? (await begin())
      onWait(undefined)
      while (upload.offset < file.size) {
        onSent(upload.offset)
        upload.offset = await append(upload)
        failures = 0
      }
      onSent(file.size)
      const session = await makeSession(upload)
      localStorage.removeItem(key)
      return session
    } catch (error) {
      if (signal.aborted) await cancel()
      signal.throwIfAborted()
      if (!(error instanceof Interrupted)) throw error
      failures += 1
      onWait(error.message)
      await pause(Math.max(error.afterMs, Math.min(WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)), signal)
    }
  }

  /** The upload of this file that was begun before, if the server still has it. */
  async function resume() {
    const address = localStorage.getItem(key)
    if (address === null) return undefined
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
    localStorage.setItem(key, address)
    return { address, offset: 0 }
  }

  /** Sends the next part, and returns the bytes that have arrived since the beginning. fetch does not tell how much has been sent. */
  async function append({ address, offset }) {
    const part = file.slice(offset, offset + PART_BYTES)
    await requireReadable(part)
    const sent = await sendPart(address, part, {
      headers: { ...headers, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      signal,
      onSent: bytes => onSent(offset + bytes)
    })
    if (sent.status === 404) throw new Interrupted()
    await requireOk(sent)
    return Number(sent.headers.get('upload-offset'))
  }

  /** The answer to the form is the page of the session, or one that says what is wrong. */
  async function makeSession({ address }) {
    const reply = await ask(`${address}/import`, { method: 'POST', body: new URLSearchParams(fields) })
    if (reply.ok && /\/s\/\w+$/.test(new URL(reply.url).pathname)) return reply.url
    const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
    throw problemOf(reply, page.querySelector('main p')?.textContent)
  }

  async function ask(address, options) {
    return await fetch(address, { ...options, signal }).catch(() => {
      throw new Interrupted()
    })
  }

  /** What was sent of a cancelled file is removed; without a connection it is after a day. */
  async function cancel() {
    const address = localStorage.getItem(key)
    localStorage.removeItem(key)
    if (address !== null) await fetch(address, { method: 'DELETE', headers }).catch(() => {})
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
  throw problemOf(reply, error?.message)
}

/** Another request may be sending the file, or the server is starting or busy: then it goes on later. */
function problemOf({ status, headers }, words = `The server answered with ${status}`) {
  const isPassing = status === 409 || status === 429 || status >= 500
  if (isPassing) return new Interrupted(words, Number(headers.get('retry-after') ?? 0) * 1_000)
  return new Refused(words)
}

/** Sends bytes by PATCH. Rejects with Interrupted if there is no answer. */
function sendPart(address, part, { headers, signal, onSent }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    let stalled = setTimeout(abort, STALLED_MS)
    request.open('PATCH', address)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => {
      clearTimeout(stalled)
      stalled = setTimeout(abort, STALLED_MS)
      onSent(loaded)
    })
    request.addEventListener('loadend', () => {
      clearTimeout(stalled)
      signal.removeEventListener('abort', abort)
      if (request.status === 0) return reject(new Interrupted())
      const shown = { get: name => request.getResponseHeader(name) }
      const { status, responseText } = request
      resolve({ status, ok: status < 300, headers: shown, json: async () => JSON.parse(responseText) })
    })
    signal.addEventListener('abort', abort)
    request.send(part)
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
