import { z } from 'zod'
import { changeOf, queryOneOf, timestamp, visible, warnings } from './common.ts'
import { LIMITS } from './limits.ts'
import { oneLine } from './text.ts'

const { forms: maxForms, heard: maxHeard, meant: maxMeant } = LIMITS.terms
const heardError = `a list of 1 to ${maxForms} forms, of at most ${maxHeard} characters together`

const heard = z
  .array(visible(maxHeard, 'text', oneLine), { error: heardError })
  .min(1, heardError)
  .max(maxForms, heardError)
  .refine(forms => forms.reduce((sum, form) => sum + [...form].length, 0) <= maxHeard, heardError)
  .meta({
    description:
      'The forms that a transcript has instead, taken literally and as whole words. Case and the width of white space do not count.',
    examples: [['par lance', 'parlants']]
  })
const meant = visible(maxMeant, 'text', oneLine).meta({
  description:
    'What is written instead. If it has a capital letter, it is written as it is; otherwise it takes the case of what it replaces.',
  examples: ['Parlance']
})

export const Term = z
  .object({
    id: z.string().meta({ examples: ['trm_01m7x9k2d4e8vb0h5s6r1wq3ya'] }),
    heard: z.array(z.string()).meta({ examples: [['par lance', 'parlants']] }),
    meant: z.string().meta({ examples: ['Parlance'] }),
    created_at: timestamp,
    updated_at: timestamp,
    warnings
  })
  .meta({ id: 'Term' })
export type Term = z.infer<typeof Term>

export const TermList = z
  .object({ terms: z.array(Term).meta({ description: 'All terms, the oldest first.' }) })
  .meta({ id: 'TermList' })
export type TermList = z.infer<typeof TermList>

/** The forms of a term that an import has extended. */
export const TermHeard = z.object({ heard })

const bodyError = 'a JSON object with heard and meant'

export const TermCreate = z.object({ heard, meant }, { error: bodyError }).meta({ id: 'TermCreate' })
export type TermCreate = z.output<typeof TermCreate>

export const TermPatch = changeOf('TermPatch', { heard, meant }, bodyError, 'at least one of heard and meant')
export type TermPatch = z.output<typeof TermPatch>

export const TermsImported = z
  .object({
    added: z.int().meta({ description: 'The new terms.' }),
    changed: z.int().meta({ description: 'The terms that have more heard forms now.' }),
    terms: z.array(Term).meta({ description: 'All terms, the oldest first.' }),
    warnings: warnings.meta({
      description: 'The columns of the file that were ignored, one sentence each. Absent if there were none.'
    })
  })
  .meta({ id: 'TermsImported' })
export type TermsImported = z.infer<typeof TermsImported>

export const ApplyQuery = z.object({
  dry_run: queryOneOf(['true', 'false'])
    .default('false')
    .transform(sent => sent === 'true')
    .meta({ description: 'Whether to count the sessions and lines only, and change nothing.' })
})

const ExampleLine = z.object({
  session_id: z.string(),
  index: z.int().meta({ description: 'The place of the line in the whole transcript, counted from 0.' }),
  text: z.string().meta({ description: 'The line as it is.' }),
  corrected: z.string().meta({ description: 'The line as it will be.' })
})

export const TermApplication = z
  .object({
    id: z.string().meta({ examples: ['apl_01m7x9p7b1f3sd9k0c2vn5ma8e'] }),
    term_id: z.string().meta({ examples: ['trm_01m7x9k2d4e8vb0h5s6r1wq3ya'] }),
    status: z.enum(['running', 'completed', 'failed']),
    dry_run: z.boolean(),
    heard: z.array(z.string()).meta({ description: 'The forms of the term when it was applied.' }),
    meant: z.string(),
    sessions_total: z.int().meta({ description: 'The sessions to look through.' }),
    sessions_done: z.int().meta({ description: 'Those that are looked through.' }),
    sessions_changed: z.int().meta({ description: 'Those that are changed; in a dry run, those that would be.' }),
    lines_changed: z.int(),
    sessions_left_out: z.int().meta({ description: 'Those whose transcript would be too long afterwards.' }),
    examples: z.array(ExampleLine).meta({
      description:
        'Of a dry run, the first lines that would change, at most five. Empty for a token without `transcripts:read`.'
    }),
    error: z.string().nullable().meta({ description: 'Why it failed. What was changed before stays changed.' }),
    started_at: timestamp,
    finished_at: timestamp.nullable()
  })
  .meta({ id: 'TermApplication' })
export type TermApplication = z.infer<typeof TermApplication>
