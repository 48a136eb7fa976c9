import { z } from 'zod'
import { characters, flag, folderIdOrName, integer, listOf, oneOf, personIdOrMe, warnings } from './common.ts'
import { instantOrDay } from './day-or-instant.ts'
import { LIMITS } from './limits.ts'
import { Person } from './person.ts'
import { SESSION_TYPES, SessionListItem } from './session.ts'

const { default: usual, max } = LIMITS.searchResults

export const SearchRequest = z
  .object({
    query: characters(1, LIMITS.query).meta({
      description: 'The query, in any words.',
      examples: ['why the launch slipped']
    }),
    limit: integer(1, max).default(usual),
    tags: listOf(characters(0, LIMITS.tags.length), LIMITS.tags.max, 'tags')
      .optional()
      .meta({ description: 'Searches only sessions with these tags, compared exactly.' }),
    tag_mode: z
      .enum(['any', 'all'], 'any or all')
      .default('any')
      .meta({ description: '`any`: sessions with at least one of the tags. `all`: sessions with every tag.' }),
    type: oneOf(SESSION_TYPES).optional().meta({ description: 'Searches only sessions of this type.' }),
    since: instantOrDay.optional().meta({ description: 'Searches sessions at or after this instant.' }),
    until: instantOrDay.optional().meta({ description: 'Searches sessions before this instant.' }),
    folder: folderIdOrName
      .optional()
      .meta({ description: 'Searches only this folder, given by id or by name. Names are case-insensitive.' }),
    person: personIdOrMe
      .optional()
      .meta({ description: 'Searches only sessions in which this person speaks: an id, or `me`.' }),
    interpret: flag.default(true).meta({
      description: 'Whether sessions of a person and a period that the query names rank higher. No session is left out.'
    }),
    include_passages: flag.default(false).meta({
      description: 'Whether to return the best passages of each result. Also needs the scope `transcripts:read`.'
    })
  })
  .meta({ id: 'SearchRequest' })
export type SearchRequest = z.infer<typeof SearchRequest>

const PassageResult = z
  .object({
    start: z
      .number()
      .nullable()
      .meta({ description: 'Seconds into the recording; null where the source has no times.' }),
    end: z.number().nullable(),
    speaker: z.string().meta({ description: 'The speaker of the words that answer the query.' }),
    text: z.string().meta({ description: 'Lines of `Speaker: words`.' }),
    score: z.number().meta({ description: 'Compares the passages of one answer with each other.' })
  })
  .meta({ id: 'Passage' })

const { id, title, timestamp, type, phone } = SessionListItem.shape

export const SearchResult = z
  .object({
    id,
    title,
    timestamp,
    type,
    similarity: z.number().optional().meta({
      description:
        'The cosine similarity of the best passage to the query, from 0 to 1. Absent if no embedding was compared.'
    }),
    snippet: z
      .string()
      .meta({ description: 'The sentences that answer best, with their speakers, at most 300 characters.' }),
    passages: z
      .array(PassageResult)
      .optional()
      .meta({ description: `With \`include_passages\`: at most ${LIMITS.passages}, the best first.` }),
    phone
  })
  .meta({ id: 'SearchResult' })
export type SearchResult = z.infer<typeof SearchResult>

export const Interpretation = z
  .object({
    person: Person.pick({ id: true, name: true })
      .nullable()
      .meta({ description: 'The person that the query names. Null if it names nobody.' }),
    since: z
      .string()
      .nullable()
      .meta({ format: 'date-time', description: 'The start of the period that the query names. Null if it is open.' }),
    until: z
      .string()
      .nullable()
      .meta({ format: 'date-time', description: 'The end of the period, exclusive. Null if it is open.' })
  })
  .meta({ id: 'Interpretation' })
export type Interpretation = z.infer<typeof Interpretation>

export const SearchResponse = z
  .object({
    query: z.string(),
    interpreted: Interpretation.optional().meta({
      description:
        'The person of your library and the period that the query names. Absent if it names neither, and with `interpret: false`.'
    }),
    results: z.array(SearchResult).meta({ description: 'The best first.' }),
    total: z.number().meta({ description: 'The number of results in this answer.' }),
    warnings: warnings.meta({
      description:
        'The fields of the request that were ignored, and that the meaning of the query was left out because its embedding did not arrive in time, one sentence each. Absent if there were none.'
    })
  })
  .meta({ id: 'SearchResponse' })
export type SearchResponse = z.infer<typeof SearchResponse>
