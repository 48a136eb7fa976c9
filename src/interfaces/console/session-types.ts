import { SESSION_TYPES, type SessionType } from '../../contract/session.ts'
import type { Icon } from '../web/icons.ts'

/** The types of sessions in words for people, each with its icon. */
const TYPE_WORDS: Record<SessionType, { words: string; icon: Icon }> = {
  meeting: { words: 'Meeting', icon: 'meeting' },
  phone: { words: 'Phone call', icon: 'phone' },
  recording: { words: 'Recording', icon: 'recording' },
  podcast: { words: 'Podcast', icon: 'podcast' },
  import: { words: 'Import', icon: 'import' },
  youtube: { words: 'YouTube', icon: 'youtube' },
  desktop: { words: 'Desktop', icon: 'desktop' }
}

/** The types as the choices of a field. */
export const TYPE_CHOICES = SESSION_TYPES.map(type => ({ value: type, words: TYPE_WORDS[type].words }))

export function typeWords(type: string) {
  const known = SESSION_TYPES.find(one => one === type)
  return known ? TYPE_WORDS[known] : { words: type, icon: 'import' as const }
}
