import type { Conversation } from '../../src/platform/ai/ai.ts'
import type { Segment } from '../../src/platform/text/segment.ts'

/** What a provider of summaries gets and answers. */

/** Lines of ten seconds each. */
export const said = (...lines: [speaker: string, text: string][]): Segment[] =>
  lines.map(([speaker, text], at) => ({ speaker, text, start: at * 10, end: at * 10 + 9 }))

export const conversation = (segments: Segment[], changes: Partial<Conversation> = {}): Conversation => ({
  title: 'Weekly',
  type: 'meeting',
  segments,
  language: null,
  day: '2026-03-02',
  ...changes
})

/** An answer about a part, without findings. */
export const minutes = (changes: Record<string, unknown> = {}) => ({
  language: 'en',
  points: [],
  decisions: [],
  questions: [],
  action_items: [],
  names: [],
  open_topics: [],
  overview_lines: [],
  overview: 'Fine.',
  title: null,
  ...changes
})
export const item = (changes: Record<string, unknown> = {}) => ({
  lines: [1],
  kind: 'promised',
  text: 'Send it',
  assignee: null,
  due_date: null,
  ...changes
})
/** The lines of `said` as sources. */
export const at = (...lines: number[]) =>
  lines.map(segment => ({ segment, start: segment * 10, end: segment * 10 + 9 }))
