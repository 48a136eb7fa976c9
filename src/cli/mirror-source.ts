import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { BulkResponse } from '../contract/bulk.ts'
import { FolderList } from '../contract/folder.ts'
import { LIMITS } from '../contract/limits.ts'
import { PersonList } from '../contract/person.ts'
import { SessionDetail } from '../contract/session.ts'
import { toWaitMs } from './feed.ts'
import { CommandFailed } from './output.ts'

const AWAY_MS = 3_000
const TIMEOUT_MS = 60_000

const Row = z.object({ id: z.string(), deleted_at: z.string().optional() })
/** The rows of a sync; only the id and the deletion of each are used. */
const Changes = z.object({ sessions: z.array(Row), next_cursor: z.string(), has_more: z.boolean() })
const Refused = z.object({ error: z.object({ message: z.string(), param: z.string().optional() }) })
const Members = z.object({
  sessions: z.array(z.object({ id: z.string() })),
  next_cursor: z.string().nullable(),
  has_more: z.boolean()
})

export interface MirroredSession {
  detail: SessionDetail
  transcript: string | null
}

interface SourceOptions {
  url: string
  token: string
  signal: AbortSignal
  onAway: (reason: string) => void
}

export type Source = ReturnType<typeof openSource>

/** Reads a library over HTTP. It waits where the server is away or asks to wait. */
export function openSource({ url, token, signal, onAway }: SourceOptions) {
  let away = false

  /** Returns the parsed body, or undefined for a status that the caller expects. */
  async function ask<T>(
    path: string,
    shape: z.ZodType<T>,
    expected: (answer: Response, param?: string) => boolean,
    body?: object
  ) {
    for (;;) {
      signal.throwIfAborted()
      const response = await send(path, body)
      const content: unknown = await response?.json().catch(() => undefined)
      const retry = response?.headers.get('retry-after') ?? null
      if (!response || response.status >= 500 || response.status === 429) {
        if (!away)
          onAway(response ? `${url} answered with ${response.status}; waiting` : `${url} does not answer; trying again`)
        away = response?.status !== 429
        await wait(retry === null ? AWAY_MS : toWaitMs(retry), undefined, { signal })
        continue
      }
      away = false
      const { data: refusal } = Refused.safeParse(content)
      if (expected(response, refusal?.error.param)) return undefined
      if (refusal) throw new CommandFailed(refusal.error.message)
      const { data } = shape.safeParse(content)
      if (data === undefined)
        throw new CommandFailed(`${url} is not that of a Parlance server: it answered ${response.status}`)
      return data
    }
  }

  async function send(path: string, body?: object) {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    return await fetch(`${url}/v1/${path}`, { headers, ...sent, signal: limit }).catch(() => {
      signal.throwIfAborted()
      return undefined
    })
  }

  const never = () => false
  const isMissing = ({ status }: Response) => status === 404

  return {
    /** The next changes of sessions. Undefined if the cursor is too old, so that deletions would be missed. */
    async listChanges(cursor: string | null) {
      const query = new URLSearchParams({
        order: 'updated',
        include: 'deleted',
        limit: '50',
        ...(cursor && { cursor })
      })
      const isOld = ({ status }: Response, param?: string) => status === 400 && cursor !== null && param === 'cursor'
      return await ask(`sessions?${query}`, Changes, isOld)
    },
    /** Undefined if the session is gone. */
    async readSession(id: string) {
      return await ask(`sessions/${id}`, SessionDetail, isMissing)
    },
    async readTranscripts(ids: string[]) {
      const texts = new Map<string, string>()
      for (let at = 0; at < ids.length; at += LIMITS.bulkSessions) {
        const body = {
          session_ids: ids.slice(at, at + LIMITS.bulkSessions),
          include_transcript: true,
          include_summary: false
        }
        const page = await ask('sessions/bulk', BulkResponse, never, body)
        for (const { id, transcript } of page?.sessions ?? []) if (transcript) texts.set(id, transcript)
      }
      return texts
    },
    async listFolders() {
      return (await ask('folders', FolderList, never))?.folders ?? []
    },
    async listPeople() {
      return (await ask('people', PersonList, never))?.people ?? []
    },
    listFolderSessions: (id: string) => listIds('sessions', { folder: id, limit: '100' }),
    /** The sessions of a person, newest first: pages that add nothing are read only if the number says that something is missing. */
    async listPersonSessions({ id, count }: { id: string; count: number }, known: string[]) {
      const all = new Set(known)
      const isAll = (page: string[]) => {
        const before = all.size
        for (const session of page) all.add(session)
        return all.size === before && all.size === count
      }
      const { ids, ended } = await readIds(`people/${id}/sessions`, { limit: String(LIMITS.personPage.max) }, isAll)
      return ended ? ids : [...all]
    }
  }

  async function listIds(path: string, fixed: Record<string, string>) {
    return (await readIds(path, fixed, () => false)).ids
  }

  /** The ids of the sessions of a list until a page is enough. None if a folder or person is gone, which the next look at their list shows. */
  async function readIds(path: string, fixed: Record<string, string>, isEnough: (page: string[]) => boolean) {
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const query = new URLSearchParams({ ...fixed, ...(cursor && { cursor }) })
      const page = await ask(`${path}?${query}`, Members, isMissing)
      const read = page?.sessions.map(({ id }) => id) ?? []
      ids.push(...read)
      if (!page?.next_cursor) return { ids, ended: true }
      if (isEnough(read)) return { ids, ended: false }
      cursor = page.next_cursor
    }
  }
}
