// Follows the processing of sessions: by server-sent events, or by loading their pages where a proxy cuts or keeps the events.
const SILENT_MS = 8_000
const LOOK_MS = 5_000

/**
 * Calls `onSettled` with the id and state of each session that is no longer processing. `address` is that of the stream for a list of ids, and
 * `page` that of a session. `onProgress`, if given, gets the id, the progress from 0 to 1 and why processing waits, when they change. Returns a function that stops.
 */
export function follow(ids, { address, page, onSettled, onProgress }) {
  const left = new Set(ids)
  const source = new EventSource(address(ids))
  let timer = setTimeout(look, SILENT_MS)

  source.addEventListener('open', () => clearTimeout(timer))
  source.addEventListener('state', ({ data }) => {
    const { id, state } = JSON.parse(data)
    settle(id, state)
  })
  source.addEventListener('progress', ({ data }) => onProgress?.(JSON.parse(data)))
  source.addEventListener('error', () => {
    clearTimeout(timer)
    // The browser opens it again by itself unless the server refused it.
    if (source.readyState === EventSource.CLOSED) void look()
    else timer = setTimeout(look, SILENT_MS)
  })

  function settle(id, state) {
    if (!left.delete(id)) return
    if (left.size === 0) stop()
    onSettled(id, state)
  }

  async function look() {
    source.close()
    for (const id of [...left]) {
      const loaded = await load(page(id)).catch(() => undefined)
      if (loaded?.querySelector('main') && !loaded.querySelector('[data-state=processing]'))
        settle(id, loaded.querySelector('.notice.bad') ? 'failed' : 'completed')
    }
    if (left.size > 0) timer = setTimeout(look, LOOK_MS)
  }

  function stop() {
    clearTimeout(timer)
    source.close()
  }

  return () => {
    left.clear()
    stop()
  }
}

export async function load(address) {
  const reply = await fetch(address)
  if (!reply.ok) throw new Error(`The server answered with ${reply.status}`)
  return new DOMParser().parseFromString(await reply.text(), 'text/html')
}
