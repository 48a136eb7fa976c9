import type { ShareScope } from '../../contract/sharing.ts'

/** The parts of a session that can be shared, in words. */
export const SHARE_PARTS: readonly [keyof ShareScope, string][] = [
  ['summary', 'Summary'],
  ['transcript', 'Transcript'],
  ['audio', 'Recording'],
  ['action_items', 'Action items']
]
