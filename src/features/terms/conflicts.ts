import { LIMITS } from '../../contract/limits.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { formKey } from '../../platform/text/term-matcher.ts'
import type { TermRow } from './queries.ts'

const { perUser } = LIMITS.terms

export const TOO_MANY = `You would have more than ${perUser} terms, which is the limit; delete some first`

export function requireFewer(count: number) {
  if (count > perUser) throw new ApiError('limit_exceeded', TOO_MANY)
}

/**
 * Throws unless each form stands for this term alone: two terms with one form could not both be right. `termId` is the term itself, if it
 * exists.
 */
export function requireOwnForms(
  known: readonly Pick<TermRow, 'termId' | 'heard' | 'meant'>[],
  { heard, meant }: Pick<TermRow, 'heard' | 'meant'>,
  termId?: string
) {
  const owners = new Map(
    known.filter(other => other.termId !== termId).flatMap(other => other.heard.map(form => [formKey(form), other]))
  )
  const seen = new Set<string>()
  for (const [at, form] of heard.entries()) {
    const field = `heard.${at}`
    const key = formKey(form)
    if (form === meant)
      throw invalid({ field, problem: 'it is what is meant', expected: 'a form that differs from meant' })
    if (seen.has(key)) throw invalid({ field, problem: 'it occurs twice', expected: 'each form once' })
    const owner = owners.get(key)
    if (owner) throw new ApiError('conflict', `the term ${owner.termId} has this form already`, { field })
    seen.add(key)
  }
}
