import { randomUUID } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import type { JobAttempt } from '../../platform/jobs/jobs.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import { MediaError } from '../recordings/store.ts'
import type { Services } from '../services.ts'
import { createAttempt, keepFile, removeFiles } from './files.ts'
import { openLibrary } from './library-lists.ts'
import { type ExportRow, findExport, saveExport } from './queries.ts'
import { writeNdjson } from './write-ndjson.ts'
import { writeZip, type ZipServices } from './write-zip.ts'

type Exporter = ZipServices & Pick<Services, 'clock' | 'exportsFolder' | 'publicUrl'>

/** The time after which progress is written again. */
const PROGRESS_MS = 1_000

/** The export was deleted, or has ended. */
class Overtaken extends Error {}

/**
 * Writes the file of an export. An attempt that ends with its process leaves a folder behind, which the next one removes: it begins anew, since the
 * library may have changed.
 */
export async function exportLibrary(
  services: Exporter,
  { userId, exportId }: JobData['export-library'],
  { last, signal }: JobAttempt
) {
  const { db, clock, exportsFolder } = services
  const row = await findExport(db, userId, exportId)
  if (row?.status !== 'running') return
  try {
    const bytes = await keepFile(exportsFolder, await write(services, row, signal), row)
    const now = clock.now()
    const isKept = await saveExport(db, userId, exportId, {
      status: 'completed',
      bytes,
      finishedAt: now,
      expiresAt: new Date(now.getTime() + LIMITS.exports.hours * 3_600_000)
    })
    if (!isKept) await removeFiles(exportsFolder, userId, exportId)
  } catch (error) {
    if (!signal.aborted) await removeFiles(exportsFolder, userId, exportId)
    if (error instanceof Overtaken) return
    if (last && !signal.aborted)
      await saveExport(db, userId, exportId, { status: 'failed', error: reasonOf(error), finishedAt: clock.now() })
    throw error
  }
}

async function write(services: Exporter, row: ExportRow, signal: AbortSignal) {
  const { db, clock, exportsFolder } = services
  const { userId, exportId } = row
  const at = clock.now()
  await services.diskReserve.require(exportsFolder, 0)
  const folder = await createAttempt(exportsFolder, row, randomUUID())
  let sessionsDone = 0
  let savedAt = performance.now()
  async function onDone() {
    sessionsDone++
    const isLast = sessionsDone === row.sessionsTotal
    if (!isLast && performance.now() - savedAt < PROGRESS_MS) return
    savedAt = performance.now()
    if (!(await saveExport(db, userId, exportId, { sessionsDone }))) throw new Overtaken()
  }
  const library = openLibrary(services, row, { at, onDone })
  const writing = { userId, folder, at, library, signal }
  return row.format === 'zip' ? await writeZip(services, writing) : await writeNdjson(services, writing)
}

function reasonOf(error: unknown) {
  if (error instanceof ApiError) return error.message
  return error instanceof MediaError ? 'A recording cannot be read; try again later' : 'An internal error; try again'
}
