import { LIMITS } from '../../contract/limits.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { formKey } from '../../platform/text/term-matcher.ts'
import type { TermRow } from './queries.ts'

const { perUser } = LIMITS.terms

export const TOO_MANY = `You would have more than ${perUser} terms, which is the limit; delete some first`

export function requireFewer(count: number) {
  if (count > perUser) throw new ApiError('limit_exceeded', TOO_MANY)
}

/** The ids of terms by the keys of their forms. */
export type FormOwners = Map<string, string>

/** Computed once for many checks: 500 terms may have 25,000 forms. */
export function listFormOwners(known: readonly Pick<TermRow, 'termId' | 'heard'>[]): FormOwners {
  const owners: FormOwners = new Map()
  for (const term of known) addForms(owners, term)
  return owners
}

export function addForms(owners: FormOwners, { termId, heard }: Pick<TermRow, 'termId' | 'heard'>) {
  for (const form of heard) owners.set(formKey(form), termId)
}

/**
 * Throws unless each form stands for this term alone: two terms with one form could not both be right. `termId` is the term itself, if it
 * exists.
 */
export function requireOwnForms(
  owners: FormOwners,
  { heard, meant }: Pick<TermRow, 'heard' | 'meant'>,
  termId?: string
) {
  const seen = new Set<string>()
  for (const [at, form] of heard.entries()) {
    const field = `heard.${at}`
    const key = formKey(form)
    if (form === meant)
      throw invalid({ field, problem: 'it is what is meant', expected: 'a form that differs from meant' })
    if (seen.has(key)) throw invalid({ field, problem: 'it occurs twice', expected: 'each form once' })
    const owner = owners.get(key)
    if (owner !== undefined && owner !== termId)
      throw new ApiError('conflict', `the term ${owner} has this form already`, { field })
    seen.add(key)
  }
}
