import { percentile } from './load.ts'
import { peakMemoryOf } from './proc.ts'
import { readAskOf, readAsks, seedDatabase } from './seed.ts'
import { startProduct } from './server.ts'
import { rounded } from './table.ts'

/** The reads of a library whose cost must not grow with it; `%` stands for a random place in the list. */
const READS: Record<string, string> = {
  list: '/sessions?cursor=%',
  type: '/sessions?type=phone&cursor=%',
  'tag, frequent': '/sessions?tag=roadmap&cursor=%',
  'tag, absent': '/sessions?tag=nowhere',
  'tags, any': '/sessions?tag=customer,hiring,legal&cursor=%',
  'tags, all': '/sessions?tag=customer,hiring,roadmap&tag_mode=all&cursor=%',
  'tag and type': '/sessions?tag=finance&type=podcast&cursor=%',
  'folder, large': '/sessions?folder=clients&cursor=%',
  'folder, small': '/sessions?folder=board',
  'folder and type': '/sessions?folder=clients&type=meeting&cursor=%',
  'folder and tags': '/sessions?folder=clients&tag=finance,legal&tag_mode=all&cursor=%',
  'stats, 30 days': '/sessions/stats?since=2025-03-10T07:00:00Z&until=2025-04-09T11:00:00Z',
  'stats, all': '/sessions/stats?since=2025-01-01T01:00:00Z&until=2026-10-01T01:00:00Z'
}

const REQUESTS = 500

/** Asks each read in turns as the owner of 100,000 sessions and as the one of 1,000; one request at a time. */
export async function measureLibrary(reseed: boolean) {
  const databaseUrl = await seedDatabase(reseed)
  const [first] = await readAsks(databaseUrl)
  const [large, small] = [first, await readAskOf(databaseUrl, 'usr_small')].map(ask => ({ authorization: `Bearer ${ask?.token}` }))
  const { url, stop } = await startProduct({ DATABASE_URL: databaseUrl })
  try {
    const rows = []
    for (const [name, path] of Object.entries(READS)) {
      const latencies: { large: number[]; small: number[] } = { large: [], small: [] }
      for (let n = 0; n < REQUESTS; n++) {
        // The small library is the newest part of the large one: from there on both have as much to read.
        const at = new Date(Date.UTC(2025, 11, 11, 0, 15 * (n % 200))).toISOString()
        const target = `${url}/v1${path.replace('%', at)}`
        for (const [size, headers] of [
          ['large', large],
          ['small', small]
        ] as const) {
          const from = performance.now()
          const answer = await fetch(target, { headers: headers ?? {} })
          const body = await answer.text()
          if (!answer.ok) throw new Error(`${path} answers with ${answer.status}: ${body}`)
          if (n >= REQUESTS / 10) latencies[size].push(performance.now() - from)
        }
      }
      rows.push(report(name, latencies.large, latencies.small))
    }
    return rows
  } finally {
    await stop()
  }
}

const EXPORTS = 5

/** Exports fifty conversations of three hours, transcripts and all, a few times. */
export async function measureBulk(reseed: boolean) {
  const databaseUrl = await seedDatabase(reseed)
  const { token } = await readAskOf(databaseUrl, 'usr_long')
  const { url, pid, stop } = await startProduct({ DATABASE_URL: databaseUrl })
  try {
    const body = JSON.stringify({ session_ids: Array.from({ length: 50 }, (_, n) => `ses_long${n + 1}`), include_transcript: true })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    // A small answer first, so that what every request needs is there already.
    await (await fetch(`${url}/v1/sessions?limit=1`, { headers })).text()
    const before = peakMemoryOf(pid) ?? Number.NaN
    const seconds: number[] = []
    let bytes = 0
    for (let n = 0; n < EXPORTS; n++) {
      const from = performance.now()
      const answer = await fetch(`${url}/v1/sessions/bulk`, { method: 'POST', headers, body })
      bytes = (await answer.text()).length
      if (!answer.ok) throw new Error(`The export answers with ${answer.status}`)
      seconds.push((performance.now() - from) / 1_000)
    }
    const grown = (peakMemoryOf(pid) ?? Number.NaN) - before
    return [
      {
        export: '50 of three hours',
        'MB sent': rounded(bytes / 1e6, 1),
        'best s': rounded(Math.min(...seconds), 2),
        'worst s': rounded(Math.max(...seconds), 2),
        'MiB more': rounded(grown / 2 ** 20)
      }
    ]
  } finally {
    await stop()
  }
}

function report(read: string, large: number[], small: number[]) {
  const [ours, yardstick] = [large, small].map(all => all.sort((a, b) => a - b)) as [number[], number[]]
  return {
    read,
    'p50 of 100,000': rounded(percentile(ours, 0.5), 2),
    'p95 of 100,000': rounded(percentile(ours, 0.95), 2),
    'p50 of 1,000': rounded(percentile(yardstick, 0.5), 2),
    'p95 of 1,000': rounded(percentile(yardstick, 0.95), 2),
    'p50 ratio': rounded(percentile(ours, 0.5) / percentile(yardstick, 0.5), 2),
    'p95 ratio': rounded(percentile(ours, 0.95) / percentile(yardstick, 0.95), 2)
  }
}
