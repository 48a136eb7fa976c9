import type { Ai, Conversation, Summary } from '../../src/platform/ai/ai.ts'

/** An AI with constant answers: the first words as summary, an item for each segment with "I'll", and a vector of the text's letters. */
export function plainAi(overrides: Partial<Ai> = {}): Ai {
  return {
    embedder: { model: 'letters', dimension: 26 },
    lexicalReason: undefined,
    summarize: async conversation => summaryOf(conversation),
    embed: async texts => texts.map(letters),
    transcripts: undefined,
    close: async () => {},
    ...overrides
  }
}

function summaryOf({ segments, language }: Conversation): Summary {
  const promises = segments.filter(({ text }) => text.includes("I'll"))
  return {
    summary: `## Overview\n\n${segments[0]?.text ?? 'Nothing was said.'}`,
    actionItems: promises.map(({ speaker, start, text }) => ({
      text,
      assignee: speaker,
      dueDate: null,
      sourceStart: start
    })),
    language: language ?? 'en'
  }
}

function letters(text: string) {
  const counts = Array.from(
    { length: 26 },
    (_, letter) => text.toLowerCase().split(String.fromCharCode(97 + letter)).length
  )
  const length = Math.hypot(...counts)
  return counts.map(count => count / length)
}
