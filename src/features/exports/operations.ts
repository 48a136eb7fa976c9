import type { ExportPart, ExportRequest, LibraryExport, LibraryExportList } from '../../contract/export.ts'
import { toDate } from '../../contract/instant.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Scope } from '../../contract/scopes.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { requireFieldScope } from '../access/actor.ts'
import { operation } from '../access/operation.ts'
import { lockUser } from '../library/queries.ts'
import type { Needs, Services } from '../services.ts'
import { fileKey, removeFiles } from './files.ts'
import { countExported, deleteExportRow, type ExportRow, findExport, insertExport, selectExports } from './queries.ts'
import { type ExportLink, exportLinks } from './signing.ts'

/** The scopes that parts need besides that of the operation. */
const SCOPES: Partial<Record<ExportPart | 'recordings', Scope>> = {
  transcripts: 'transcripts:read',
  terms: 'transcripts:read',
  shares: 'sharing:manage',
  recordings: 'media:read'
}

/** A job that is never done, such as one of a server that is never started again, ends an export after this time. */
const RUNNING_HOURS = 48

type Linking = Needs<'publicUrl' | 'secretKey'>

/** Has a job write the library of the actor into a file. */
export const createExport = operation(
  'createExport',
  async (
    { db, clock, jobs, ...linking }: Needs<'db' | 'clock' | 'jobs'> & Linking,
    actor,
    { format, parts, since, recordings }: ExportRequest
  ): Promise<LibraryExport> => {
    const { userId } = actor
    for (const part of parts) {
      const scope = SCOPES[part]
      if (scope) requireFieldScope(actor, scope, `parts with ${part}`)
    }
    if (recordings) requireFieldScope(actor, 'media:read', 'recordings')
    const now = clock.now()
    const from = since === null ? null : toDate(since)
    const row = await db.transaction(async tx => {
      // Creations of one user count one after another.
      await lockUser(tx, userId)
      if ((await selectExports(tx, userId, now)).length >= LIMITS.exports.perUser) throw tooMany()
      const { total, last } = await countExported(tx, userId, from)
      const made: ExportRow = {
        userId,
        exportId: newId('exp'),
        status: 'running',
        format,
        parts,
        since: from,
        recordings,
        lastSession: last,
        sessionsTotal: total,
        sessionsDone: 0,
        bytes: null,
        error: null,
        createdAt: now,
        finishedAt: null,
        expiresAt: new Date(now.getTime() + RUNNING_HOURS * 3_600_000)
      }
      await insertExport(tx, userId, made)
      await jobs.enqueue(tx, 'export-library', { userId, exportId: made.exportId })
      return made
    })
    return toExport(linking, actor, row)
  }
)

function tooMany() {
  return new ApiError(
    'limit_exceeded',
    `you have ${LIMITS.exports.perUser} exports already; delete one, or wait until one is removed`
  )
}

export const listExports = operation(
  'listExports',
  async ({ db, clock, ...linking }: Needs<'db' | 'clock'> & Linking, actor): Promise<LibraryExportList> => {
    const rows = await selectExports(db, actor.userId, clock.now())
    return { exports: rows.map(row => toExport(linking, actor, row)) }
  }
)

export const getExport = operation(
  'getExport',
  async (
    { db, clock, ...linking }: Needs<'db' | 'clock'> & Linking,
    actor,
    exportId: string
  ): Promise<LibraryExport> => {
    const row = await findExport(db, actor.userId, exportId)
    return row && row.expiresAt > clock.now() ? toExport(linking, actor, row) : throwNotFound('Export')
  }
)

/** Deletes an export. A job that writes it finds out, and ends. */
export const deleteExport = operation(
  'deleteExport',
  async ({ db, exportsFolder }: Needs<'db' | 'exportsFolder'>, actor, exportId: string): Promise<void> => {
    if (!(await deleteExportRow(db, actor.userId, exportId))) throwNotFound('Export')
    await removeFiles(exportsFolder, actor.userId, exportId)
  }
)

function toExport(linking: Linking, actor: Actor, row: ExportRow): LibraryExport {
  const { userId, exportId, expiresAt } = row
  const isReadable = row.status === 'completed' && mayRead(actor, row)
  return {
    id: exportId,
    status: row.status,
    format: row.format,
    parts: row.parts,
    since: row.since?.toISOString() ?? null,
    recordings: row.recordings,
    sessions_total: row.sessionsTotal,
    sessions_done: row.sessionsDone,
    bytes: row.bytes,
    download_url: isReadable ? exportLinks(linking).urlOf(userId, exportId, expiresAt) : null,
    error: row.error,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
    expires_at: expiresAt.toISOString()
  }
}

/** Returns whether the actor could have asked for the export. Another token of the user may have. */
function mayRead({ scopes }: Actor, { parts, recordings }: Pick<ExportRow, 'parts' | 'recordings'>) {
  return [...parts, ...(recordings ? (['recordings'] as const) : [])].every(part => {
    const scope = SCOPES[part]
    return scope === undefined || scopes.has(scope)
  })
}

/** Finds the file of a link whose signature is valid. It is looked up for every request, so that a link ends with its export. */
export async function findLinkedExport(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { userId, exportId, expires }: ExportLink
) {
  const now = clock.now()
  const row = expires * 1_000 > now.getTime() ? await findExport(db, userId, exportId) : undefined
  if (row?.status !== 'completed' || row.bytes === null || row.expiresAt <= now) return throwNotFound('Export')
  const contentType = row.format === 'zip' ? 'application/zip' : 'application/x-ndjson'
  const name = `parlance-${row.createdAt.toISOString().slice(0, 10)}.${row.format}`
  return { name, stored: { key: fileKey(row), contentType, bytes: row.bytes } }
}
