import type { Term } from '../../contract/term.ts'
import type { TermRow } from './queries.ts'

export function toTerm({ termId, heard, meant, createdAt, updatedAt }: TermRow): Term {
  return {
    id: termId,
    heard,
    meant,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString()
  }
}
