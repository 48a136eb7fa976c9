import type { LibraryImported } from '../../../contract/library-imported.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import { operation } from '../../access/operation.ts'
import type { LibraryImporter } from './archived-session.ts'
import { openLibraryArchive } from './import-library.ts'

/** An import that has begun: its archive is a library. It takes minutes for large ones. */
export interface LibraryImport {
  /** The sessions that the archive should have. */
  total: number
  /** Imports all, and returns how many sessions are new. `onSession` is called after each one. */
  run(onSession: () => void): Promise<LibraryImported>
}

/** Begins to import a library. Throws invalid_request for a field that is sent with it, which would overwrite that of every session. */
export const beginLibraryImport = operation(
  'uploadSession',
  async (services: LibraryImporter, actor, path: string, fields: object): Promise<LibraryImport> => {
    refuseFields(fields)
    const { total, entries } = await openLibraryArchive(services, actor, path)
    return {
      total,
      async run(onSession) {
        const counts = { sessions_added: 0, sessions_existing: 0 }
        const problems = firstOf()
        const warnings = firstOf()
        for await (const entry of entries()) {
          if ('problem' in entry) problems.add(`${entry.file}: ${entry.problem}`, entry.isLast)
          if ('warning' in entry) warnings.add(`${entry.file}: ${entry.warning}`)
          if (!('imported' in entry)) continue
          const { created, session } = entry.imported
          counts[created ? 'sessions_added' : 'sessions_existing']++
          for (const warning of session.warnings ?? []) warnings.add(`${entry.file}: ${warning}`)
          onSession()
        }
        return {
          ...counts,
          problem_count: problems.count,
          problems: problems.first,
          warning_count: warnings.count,
          warnings: warnings.first
        }
      }
    }
  }
)

/** Sentences, of which only the first are kept, and the one that an import ends with. */
function firstOf() {
  const first: string[] = []
  const kept = {
    first,
    count: 0,
    add(sentence: string, isLast = false) {
      if (++kept.count <= LIMITS.exports.problems) first.push(sentence)
      else if (isLast) first.splice(-1, 1, sentence)
    }
  }
  return kept
}

function refuseFields(fields: object) {
  const [sent] = Object.entries(fields).find(([, value]) => value !== undefined) ?? []
  if (sent !== undefined)
    throw invalid({ field: sent, problem: 'a library is imported as it is', expected: 'it without this' })
}
