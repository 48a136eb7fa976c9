/** A lock that many hold in shared mode or one alone in exclusive mode, granted in the order of the requests. */
interface SharedLock {
  /** Resolves when the lock is granted; disposing of the result releases it. Rejects if the signal aborts first. */
  acquire(mode: Mode, signal: AbortSignal): Promise<Disposable>
}

type Mode = 'shared' | 'exclusive'

interface Request {
  mode: Mode
  grant: () => void
}

export function openSharedLock(): SharedLock {
  const waiting: Request[] = []
  const held: Record<Mode, number> = { shared: 0, exclusive: 0 }

  function canHold(mode: Mode) {
    return held.exclusive === 0 && (mode === 'shared' || held.shared === 0)
  }

  function grantNext() {
    for (let [next] = waiting; next && canHold(next.mode); [next] = waiting) {
      waiting.shift()
      held[next.mode]++
      next.grant()
    }
  }

  function release(mode: Mode) {
    held[mode]--
    grantNext()
  }

  return {
    async acquire(mode, signal) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const request = { mode, grant: resolve }
      const onAbort = () => {
        const at = waiting.indexOf(request)
        if (at < 0) return
        waiting.splice(at, 1)
        reject(signal.reason)
        grantNext()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.push(request)
      grantNext()
      await promise.finally(() => signal.removeEventListener('abort', onAbort))
      return { [Symbol.dispose]: () => release(mode) }
    }
  }
}
