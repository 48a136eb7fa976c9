import { z } from 'zod'
import { LIMITS } from './limits.ts'

export const LibraryImported = z
  .object({
    sessions_added: z.int(),
    sessions_existing: z.int().meta({ description: 'Those that were imported before, which stay as they are.' }),
    problem_count: z.int().meta({ description: 'The sessions and entries that could not be imported.' }),
    problems: z.array(z.string()).meta({
      description: `The first ${LIMITS.exports.problems} of them, one sentence each.`
    }),
    warning_count: z.int().meta({
      description: 'What is not as it was in sessions that were imported, and the shares, which are not restored.'
    }),
    warnings: z.array(z.string()).meta({
      description: `The first ${LIMITS.exports.problems} of them, one sentence each.`
    })
  })
  .meta({ id: 'LibraryImported', description: 'The import of an export of a whole library.' })
export type LibraryImported = z.infer<typeof LibraryImported>
