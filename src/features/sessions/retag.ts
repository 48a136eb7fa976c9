import { LIMITS } from '../../contract/limits.ts'
import { invalid } from '../../platform/core/api-error.ts'

/** Single tags to add and to remove. */
export interface Tagging {
  add: readonly string[]
  remove: readonly string[]
}

/** Returns the tags after the change. Throws if there would be too many; a session that has too many already may lose some. */
export function retag(tags: readonly string[], { add, remove }: Tagging): string[] {
  const after = [...new Set([...tags, ...add])].filter(tag => !remove.includes(tag))
  const { max } = LIMITS.tags
  if (after.length > max && after.length > tags.length)
    throw invalid({ field: 'add', problem: `the session would have ${after.length} tags`, expected: `at most ${max}` })
  return after
}
