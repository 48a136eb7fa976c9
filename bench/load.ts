import { Client } from 'undici'

export interface Shot {
  method?: 'GET' | 'POST' | 'PATCH'
  path: string
  headers: Record<string, string>
  /** A function if the body differs each time. */
  body?: string | (() => string)
}

export interface Load {
  seconds: number
  requests: number
  /** The number of answers other than 2xx. */
  refused: number
  /** In milliseconds, ascending. */
  latencies: Float64Array
}

export interface Pressure {
  seconds: number
  /** The index of the first shot. */
  first: number
  connections: number
}

/** Keeps the connections busy for that many seconds, one request at a time on each, in the order of the shots. */
export async function applyLoad(url: string, shots: Shot[], { seconds, first, connections }: Pressure): Promise<Load> {
  const startedAt = performance.now()
  const until = startedAt + seconds * 1_000
  const latencies: number[] = []
  let next = first
  let refused = 0

  async function keepBusy() {
    const client = new Client(url)
    for (let from = performance.now(); from < until; from = performance.now()) {
      const shot = shots[next++ % shots.length]!
      const { method = 'GET', path, headers } = shot
      const answer = await client.request({ method, path, headers, body: bodyOf(shot) ?? null })
      await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER })
      latencies.push(performance.now() - from)
      if (answer.statusCode < 200 || answer.statusCode > 299) refused++
    }
    await client.close()
  }

  await Promise.all(Array.from({ length: connections }, keepBusy))
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    requests: latencies.length,
    refused,
    latencies: Float64Array.from(latencies).sort()
  }
}

export function bodyOf({ body }: Pick<Shot, 'body'>) {
  return typeof body === 'function' ? body() : body
}

export function percentile(ascending: ArrayLike<number>, share: number) {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
}
