import { z } from 'zod'
import { oneOf, templateIdOrName, timestamp, warnings } from './common.ts'

const languageError = 'the code of a language by ISO 639-1, such as en'
const MODES = ['keep', 'merge', 'replace'] as const

export const SummaryOptions = z
  .object(
    {
      language: z
        .string({ error: languageError })
        .max(2, languageError)
        .regex(/^[a-z]{2}$/, languageError)
        .optional()
        .meta({
          description:
            'The language to write in. Default: that of the template, or of the conversation. Another one needs a provider; the offline summarizer does not translate.'
        }),
      template: templateIdOrName
        .nullable()
        .optional()
        .meta({
          description:
            'The name or the id of the template to follow; null for the usual sections. Default: the default template of the session, if it has one.',
          examples: ['Sales call']
        }),
      action_items: oneOf(MODES).default('merge').meta({
        description:
          '`keep`: the action items stay as they are. `merge`: those that somebody has written, changed or ticked off stay word for word, the others are found again. `replace`: all are found again.'
      })
    },
    { error: 'a JSON object; {} for the defaults' }
  )
  .meta({ id: 'SummaryOptions' })
export type SummaryOptions = z.output<typeof SummaryOptions>

export const SummaryRequest = z
  .object({
    id: z.string().meta({ examples: ['sum_01m7xa3h5cfd1v8s2t6n9kq4we'] }),
    session_id: z.string(),
    status: z
      .enum(['running', 'completed', 'failed'])
      .meta({ description: 'After a failure the session has its summary and action items of before.' }),
    language: z
      .string()
      .nullable()
      .meta({ description: 'The requested language; null for that of the template, or of the conversation.' }),
    template: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'The template to follow, as it was when it was requested; null for the usual sections.' }),
    action_items: z.enum(MODES),
    error: z.string().nullable().meta({ description: 'Why it failed.' }),
    started_at: timestamp,
    finished_at: timestamp.nullable(),
    warnings
  })
  .meta({ id: 'SummaryRequest' })
export type SummaryRequest = z.infer<typeof SummaryRequest>

const example: SummaryRequest = {
  id: 'sum_01m7xa3h5cfd1v8s2t6n9kq4we',
  session_id: 'ses_01m7x9fbe4fey9tg3s33gak8w3',
  status: 'running',
  language: null,
  template: { id: 'tpl_sales_call', name: 'Sales call' },
  action_items: 'merge',
  error: null,
  started_at: '2026-03-02T10:50:00.000Z',
  finished_at: null
}

export const SUMMARY_REQUEST_EXAMPLES = {
  accepted: example,
  completed: { ...example, status: 'completed' as const, finished_at: '2026-03-02T10:50:04.000Z' }
}
