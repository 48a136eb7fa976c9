/** The parts of a conversation that the offline summarizer finds, and that sections of templates may ask for by name. */
export const SUMMARY_PARTS = [
  'overview',
  'participants',
  'topics',
  'key_points',
  'decisions',
  'questions',
  'action_items'
] as const
export type SummaryPart = (typeof SUMMARY_PARTS)[number]
