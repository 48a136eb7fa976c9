/**
 * Words that ask about a conversation instead of naming its subject, as in "what did the team discuss about the budget". They count less.
 * The weight was measured in English; the other lists follow it.
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

/** Measured on the training part of QMSum, as is K3, BM25's saturation of repeated query terms. */
const ASKING_WEIGHT = 0.4
const K3 = 3

/** The distinct words of a query with their weight before the IDF. A repeated word counts more, with saturation. */
export function weighQueryTerms(words: readonly string[]): Map<string, number> {
  const counts = Map.groupBy(words, word => word)
  return new Map(
    [...counts].map(([word, { length: times }]) => [word, ((K3 + 1) * times * (ASKING.has(word) ? ASKING_WEIGHT : 1)) / (K3 + times)])
  )
}
