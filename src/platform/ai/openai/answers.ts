import { z } from 'zod'

// Every field has a default besides the text itself, because models without a schema leave out what is empty. Counts and lengths are bounded
// where answers are read: strict mode does not know limits on every server.

const numbers = z.array(z.number()).nullable().default(null)
const lines = numbers.describe('Numbers of the one to five lines that it comes from')
const words = z.string().nullable().default(null)
const language = words.describe('ISO 639-1 code of the language spoken, such as "en"')
const title = words.describe('Three to eight words; null if nothing says what it was about')
const overview = z
  .string()
  .refine(text => text.trim() !== '')
  .describe('Purpose and outcome in two or three sentences')

const said = { lines, speaker: words.describe('Who said it, named as in the transcript') }
const listOf = <T extends z.ZodType>(shape: T) => z.array(shape).nullable().default(null)

/** Evidence comes before what it shows, and the overview last: a model writes in this order, and knows its findings by then. */
export const PartAnswer = z.object({
  language,
  points: listOf(
    z.object({
      ...said,
      topic: words.describe('Two to five words; the same for all points of a topic'),
      text: z.string()
    })
  ),
  decisions: listOf(
    z.object({ ...said, status: words.describe('"agreed", or "proposed" if nobody agreed'), text: z.string() })
  ),
  questions: listOf(z.object({ ...said, text: z.string() })),
  action_items: listOf(
    z.object({
      lines,
      kind: words.describe('"promised", "asked", "suggested", or "in_call" for what is done during the conversation'),
      text: z.string(),
      assignee: words.describe('Who does it, named as in the transcript; null if open'),
      due_date: words.describe('YYYY-MM-DD, or the words of the date')
    })
  ),
  names: z
    .array(z.string())
    .nullable()
    .default(null)
    .describe('Names and terms that were said, as spelt in the transcript'),
  open_topics: z.array(z.string()).nullable().default(null).describe('What is still being discussed at the end'),
  overview_lines: numbers,
  overview,
  title
})
export type PartAnswer = z.infer<typeof PartAnswer>

const groups = z.array(z.array(z.number())).nullable().default(null)

export const MergeAnswer = z.object({
  same: groups.describe('Groups of numbers of statements that say one and the same'),
  answered: numbers.describe('Numbers of open questions that are answered later'),
  sections: listOf(
    z.object({
      points: z.array(z.number()).describe('Numbers of points'),
      heading: words.describe('Two to five words')
    })
  ),
  overview_of: numbers.describe('Numbers of the statements that the overview rests on'),
  overview,
  title
})
export type MergeAnswer = z.infer<typeof MergeAnswer>
