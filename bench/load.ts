import { Client } from 'undici'

export interface Shot {
  path: string
  headers: Record<string, string>
}

export interface Load {
  seconds: number
  requests: number
  /** Answers other than 2xx. */
  refused: number
  /** Milliseconds, ascending. */
  latencies: Float64Array
}

const CONNECTIONS = 16

/** Keeps 16 connections busy for that long, one request at a time on each, going round the shots from `first` on. */
export async function applyLoad(url: string, shots: Shot[], { seconds, first }: { seconds: number; first: number }): Promise<Load> {
  const startedAt = performance.now()
  const until = startedAt + seconds * 1_000
  const latencies: number[] = []
  let next = first
  let refused = 0

  async function keepBusy() {
    const client = new Client(url)
    for (let from = performance.now(); from < until; from = performance.now()) {
      const { path, headers } = shots[next++ % shots.length]!
      const { statusCode, body } = await client.request({ method: 'GET', path, headers })
      await body.dump({ limit: Number.MAX_SAFE_INTEGER })
      latencies.push(performance.now() - from)
      if (statusCode < 200 || statusCode > 299) refused++
    }
    await client.close()
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, keepBusy))
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    requests: latencies.length,
    refused,
    latencies: Float64Array.from(latencies).sort()
  }
}

export function percentile(ascending: ArrayLike<number>, share: number) {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
}
