/**
 * Words that ask for what was said rather than name it: who asks "what did the team discuss about the budget" looks for the budget. They
 * count, but less. For English that was measured; the other lists follow it.
 */
const ASKING = new Set(
  `discuss discusses discussed discussing discussion discussions summarize summarizes summarized summarise summary summaries
  say says said saying tell tells told think thinks thinking thought thoughts talk talks talked talking mention mentions mentioned
  explain explains explained describe describes described suggest suggests suggested opinion opinions view views why
  group groups meeting meetings team teams according toward towards regarding
  besprechen besprochen besprechung diskutieren diskutiert diskussion zusammenfassen zusammenfassung gesagt meint meinte meinung erwähnt warum
  discuté discutent discussion résumer résumé dit parle parlé pense pensent avis opinion pourquoi réunion équipe
  discutir discutido discutieron discusión resumir resumen dicho dijo dijeron hablar hablaron piensa piensan opinión reunión equipo`.split(
    /\s+/
  )
)

/** Measured on QMSum's training part, as is what a word counts that is said again. */
const LESS = 0.4
const AGAIN = 3

/** The different words of a query with what each counts before its rarity: said twice, it is meant more, though not twice as much. */
export function weightsOfWords(words: readonly string[]): Map<string, number> {
  const counts = Map.groupBy(words, word => word)
  return new Map(
    [...counts].map(([word, { length: times }]) => [word, ((AGAIN + 1) * times * (ASKING.has(word) ? LESS : 1)) / (AGAIN + times)])
  )
}
