/** What a language contributes: its function words, its chatter, and the wording of the minutes. */
export interface Lexicon {
  code: string
  /** Function words. Also what a language is recognized by. */
  stop: ReadonlySet<string>
  /** Words that carry meaning but no topic: "think", "thing", "good". */
  light: ReadonlySet<string>
  /** Sounds and listeners' words, dropped wherever they stand alone. */
  fillers: ReadonlySet<string>
  /** Replacements that turn speech into writing, applied in order. */
  tidy: readonly (readonly [RegExp, string])[]
  /** What a sentence loses at its start, again and again. */
  openers: RegExp
  /** Words no whole sentence starts or ends with. */
  badStarts: ReadonlySet<string>
  badEnds: ReadonlySet<string>
  /** Finite verbs one of which a sentence has; empty where endings tell too little. */
  verbs: ReadonlySet<string>
  /** Words that are verbs after a pronoun, and may be nouns elsewhere. */
  nounVerbs?: ReadonlySet<string>
  /** A word after one of these is likely a noun; after one of `verbLeads` a verb. */
  nounLeads: ReadonlySet<string>
  verbLeads: ReadonlySet<string>
  /** Sentences that weigh more: reasons, findings, proposals. */
  telling: RegExp
  /** Sentences that say little out of their place: thanks, asides, pointing at the screen. */
  empty: RegExp
  decided: RegExp
  /** Takes a decision back: a condition, a question, a negation. */
  hypothetical: RegExp
  /** A statement that something is open, and a reply that leaves a question open. */
  open: RegExp
  /** Questions about the conversation itself. */
  socialQuestion: RegExp
  words: Wording
}

export interface Wording {
  overview: string
  keyPoints: string
  decisions: string
  openQuestions: string
  nextSteps: string
  and: string
  by: string
  others(count: number): string
  participants(names: string, alone: boolean): string
  topics(list: string): string
  /** Said where the end of the conversation was not read. */
  partial: string
}

export function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).filter(Boolean))
}

/** Matches nothing: for what a language does not have. */
export const NEVER = /(?!)/
