import type { Meeting } from '../qmsum.ts'
import { phraseSet } from './phrases.ts'
import type { Library, Query, QuerySet } from './query-set.ts'
import { withSynonyms } from './synonyms.ts'
import { openWordNet } from './wordnet.ts'

/** Makes the sets of each part: QMSum's questions, its summaries as queries, its questions with synonyms, and phrases of the meetings. */
export function meetingSets(meetings: readonly Meeting[], name: string): { library: Library; sets: QuerySet[] } {
  const documents = meetings.map(({ document }) => document)
  const texts = new Map(
    documents.map(({ external_id: id, segments }) => [id, segments.map(({ text }) => text).join('\n')])
  )
  const synonymsOf = openWordNet()
  const sets = [...Map.groupBy(meetings, ({ part }) => part)].flatMap(([part, ofPart]): QuerySet[] => {
    const asked = ofPart.flatMap(({ document, questions }) =>
      questions.map(question => ({ ...question, session: document.external_id }))
    )
    const questions = asked
      .filter(({ spans }) => spans.length > 0)
      .map(({ question, session, spans }): Query => ({ text: question, session, spans }))
    const summaries = asked.map(({ summary, session }): Query => ({ text: summary, session }))
    return [
      { name: `questions/${part}`, library: name, queries: questions },
      { name: `summaries/${part}`, library: name, queries: summaries },
      {
        name: `synonyms/${part}`,
        library: name,
        queries: withSynonyms(questions, session => texts.get(session) ?? '', synonymsOf)
      }
    ]
  })
  return { library: { name, documents }, sets: [...sets, phraseSet(documents, name)] }
}
