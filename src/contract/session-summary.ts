import { z } from 'zod'
import { ActionItem } from './action-item.ts'

export const SummarySource = z
  .object({
    segment: z.int().meta({ description: 'The index of the line in the transcript, counted from 0.' }),
    start: z.number().optional().meta({ description: 'Seconds. Absent if the transcript has no times.' }),
    end: z.number().optional()
  })
  .meta({ id: 'SummarySource', description: 'A line of the transcript that a statement comes from.' })
export type SummarySource = z.infer<typeof SummarySource>

const sources = z.array(SummarySource).meta({
  description: 'The lines that it comes from, in the order of the transcript. Empty if the server does not know them.'
})

const unsupported = z.literal(true).optional().meta({
  description:
    'True if an AI provider wrote it and the transcript does not support it: it cites no line or one that there is not, or a name or number in it was not said in or near its lines. Absent otherwise.'
})

export const SummaryStatement = z
  .object({
    text: z.string().meta({ description: 'Plain text.', examples: ['The offer goes out this week.'] }),
    speaker: z.string().nullable().meta({ description: 'The person who said it; null if the summary names nobody.' }),
    sources,
    unsupported
  })
  .meta({ id: 'SummaryStatement' })
export type SummaryStatement = z.infer<typeof SummaryStatement>

export const SummarySection = z
  .object({
    heading: z.string().nullable(),
    start: z.number().optional().meta({
      description: 'The start of the first line that a point comes from, in seconds. Absent if no point has a time.'
    }),
    points: z.array(SummaryStatement)
  })
  .meta({ id: 'SummarySection' })
export type SummarySection = z.infer<typeof SummarySection>

export const SummarizedActionItem = ActionItem.pick({
  id: true,
  text: true,
  completed: true,
  assignee: true,
  due_date: true
})
  .extend({ sources, unsupported })
  .meta({ id: 'SummarizedActionItem' })
export type SummarizedActionItem = z.infer<typeof SummarizedActionItem>

export const SummaryTemplateUsed = z
  .object({
    id: z.string().meta({ examples: ['tpl_sales_call'] }),
    name: z.string().meta({ description: 'Its name when the summary was made.', examples: ['Sales call'] }),
    left_out: z.array(z.string()).meta({
      description:
        'The headings of its sections that the summary lacks, because nothing of it was said or because the offline summarizer can’t find it. If these are all, the summary has the usual sections.',
      examples: [['Objections']]
    }),
    untranslated: z.boolean().meta({
      description: 'True if it asks for another language, in which the offline summarizer does not write.'
    })
  })
  .meta({ id: 'SummaryTemplateUsed' })

export const SessionSummary = z
  .object({
    id: z.string(),
    language: z
      .string()
      .nullable()
      .meta({ examples: ['en'] }),
    template: SummaryTemplateUsed.nullable().meta({
      description:
        'The template that the summary follows. Null if it follows none, or if the server did not make it or somebody has edited it since.'
    }),
    title_made: z.boolean().meta({
      description:
        'True if the server made the title of the session from what is said, because the source had none that tells anything.'
    }),
    has_sources: z.boolean().meta({
      description:
        'False if the parts are read from the Markdown, because the server did not make this summary, made it before it kept sources, or somebody has edited it since.'
    }),
    transcript_version: z.int().meta({
      description: 'The version of the transcript whose lines the sources name; 0 without a transcript.'
    }),
    overview: SummaryStatement.nullable(),
    sections: z.array(SummarySection).meta({ description: 'The key points by topic, in the order of the summary.' }),
    decisions: z.array(SummaryStatement),
    questions: z.array(SummaryStatement).meta({ description: 'Questions that nobody answered.' }),
    action_items: z.array(SummarizedActionItem).meta({
      description:
        'The action items of the session, which changes of them keep current. One that a person wrote has no sources.'
    })
  })
  .meta({ id: 'SessionSummary' })
export type SessionSummary = z.infer<typeof SessionSummary>
