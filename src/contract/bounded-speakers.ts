import { DEFAULT_SPEAKER } from './import-document.ts'
import { LIMITS } from './limits.ts'

interface Spoken {
  speaker: string
  text: string
}

/**
 * Bounds the labels of the speakers in a transcript: first those that are `named`, then in the order of their first words. What the others say is said by
 * `Speaker`, and begins with their label, so that nothing is lost. Returns the labels that were left out as well.
 */
export function boundSpeakers<T extends Spoken>(segments: readonly T[], named: Iterable<string> = []) {
  const labels = new Set(segments.map(({ speaker }) => speaker))
  if (labels.size <= LIMITS.speakerLabels) return { segments: [...segments], left: [] }
  const inOrder = new Set([DEFAULT_SPEAKER, ...[...named].filter(label => labels.has(label)), ...labels])
  const kept = new Set([...inOrder].slice(0, LIMITS.speakerLabels))
  const bounded = segments.map(said =>
    kept.has(said.speaker) ? said : { ...said, speaker: DEFAULT_SPEAKER, text: `${said.speaker}: ${said.text}` }
  )
  return { segments: bounded, left: [...labels].filter(label => !kept.has(label)) }
}
