import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { codeOf } from '../../platform/core/error-code.ts'
import { DELETERS, type Deleted, type Deleter } from '../../platform/db/schema/index.ts'

/** A line of the ledger, with only the fields that a repeated deletion needs. */
const LedgerLine = z.object({
  user: z.string(),
  session: z.string(),
  what: z.enum(['session', 'recording', 'user']),
  at: z.iso.datetime(),
  by: z.enum(DELETERS).optional()
})

export interface Deletion {
  userId: string
  /** Empty for the deletion of a user. */
  sessionId: string
  what: Deleted
  deletedAt: Date
  by: Deleter | null
}

export function ledgerIn(dataDir: string) {
  return join(dataDir, 'deletions.jsonl')
}

/** The statement of `findUnknown` makes the same key. */
export function deletionKey({ userId, sessionId, what }: Deletion) {
  return `${userId} ${sessionId} ${what}`
}

/** Appends lines and syncs them to disk. */
export async function appendDeletions(path: string, deletions: Deletion[]) {
  if (deletions.length === 0) return
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'a', 0o600)
  try {
    // The leading newline ends a truncated line of a full disk or a killed process. Empty lines are skipped.
    await file.appendFile(`\n${deletions.map(lineOf).join('\n')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

function lineOf({ userId, sessionId, what, deletedAt, by }: Deletion) {
  return JSON.stringify({ user: userId, session: sessionId, what, at: deletedAt.toISOString(), ...(by && { by }) })
}

/** Yields the deletions of a ledger in batches, oldest first. Skips incomplete lines. Yields nothing without the file. */
export async function* readDeletions(path: string, batch = 1_000): AsyncGenerator<Deletion[]> {
  let some: Deletion[] = []
  try {
    for await (const text of createInterface({
      input: createReadStream(path, 'utf8'),
      crlfDelay: Number.POSITIVE_INFINITY
    })) {
      const read = readLine(text)
      if (read) some.push(read)
      if (some.length < batch) continue
      yield some
      some = []
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  if (some.length > 0) yield some
}

function readLine(text: string): Deletion | undefined {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined
  try {
    const { user, session, what, at, by } = LedgerLine.parse(JSON.parse(text))
    return { userId: user, sessionId: session, what, deletedAt: new Date(at), by: by ?? null }
  } catch {
    return undefined
  }
}
