import { readFileSync } from 'node:fs'
import type { MadeSession } from './made-library.ts'
import { type Library, type LibraryDocument, type QuerySet, toSegments } from './query-set.ts'

const LANGUAGES = ['de', 'es', 'fr', 'ja']
const FIRST_DAY = Date.UTC(2026, 3, 1, 9)
const DAY_MS = 86_400_000

/** A short conversation, with a query in its own words and one in other words. */
interface Story {
  title: string
  said: [speaker: string, text: string][]
  same: string
  paraphrase: string
}

/** The same ten conversations in each language among English ones of the made library, two hundred in all. */
export function languageSets(made: readonly MadeSession[], name: string): { library: Library; sets: QuerySet[] } {
  const stories = LANGUAGES.flatMap(language =>
    readStories(language).map((story, n) => ({ language, story, session: `${language}-${n}` }))
  )
  const documents = stories.map(
    ({ language, story, session }, n): LibraryDocument => ({
      external_id: session,
      title: story.title,
      timestamp: new Date(FIRST_DAY + n * DAY_MS).toISOString(),
      type: 'meeting',
      language,
      summary: story.title,
      segments: toSegments(story.said.map(([speaker, text]) => ({ speaker, text })))
    })
  )
  const others = made.slice(0, 200 - documents.length).map(({ document }) => document)
  return {
    library: { name, documents: [...documents, ...others] },
    sets: [
      {
        name: 'languages/same words',
        library: name,
        queries: stories.map(({ story, session }) => ({ text: story.same, session }))
      },
      {
        name: 'languages/paraphrased',
        library: name,
        queries: stories.map(({ story, session }) => ({ text: story.paraphrase, session }))
      }
    ]
  }
}

function readStories(language: string): Story[] {
  return JSON.parse(readFileSync(new URL(`languages/${language}.json`, import.meta.url), 'utf8'))
}
