import { z } from 'zod'
import {
  CURSOR_ERROR,
  changeOf,
  folderIdOrName,
  label,
  listOf,
  oneOf,
  pageCursor,
  pageEnd,
  pageLimit,
  timestamp,
  visible,
  warnings
} from './common.ts'
import { LIMITS } from './limits.ts'
import { SESSION_TYPES } from './session.ts'
import { SUMMARY_PARTS } from './summary-parts.ts'
import { oneLine } from './text.ts'

const { name: maxName, sections: maxSections, heading: maxHeading, content: maxContent, defaults } = LIMITS.templates

const languageError = 'transcript, or the code of a language by ISO 639-1, such as en'
const language = z
  .string({ error: languageError })
  .max(10, languageError)
  .regex(/^(?:transcript|[a-z]{2})$/, languageError)
  .meta({
    description:
      'The language to write in: `transcript` for that of the conversation, or a code. Another language than that of the conversation needs a provider.',
    examples: ['transcript']
  })

const partMeaning =
  'What the offline summarizer fills the section with. Null if it can’t find what belongs there, so that it leaves the section out.'

export const TemplateSection = z
  .object({
    heading: z.string().meta({ examples: ['Decisions'] }),
    content: z.string().meta({ description: 'What belongs there: instructions for a provider. May be empty.' }),
    part: z.enum(SUMMARY_PARTS).nullable().meta({ description: partMeaning })
  })
  .meta({ id: 'TemplateSection' })
export type TemplateSection = z.infer<typeof TemplateSection>

const defaultsMeaning =
  'The sessions whose summary it is the default for. At most one template is the default for each type, tag and folder.'

export const TemplateDefaults = z
  .object({
    types: z.array(z.string()),
    tags: z.array(z.string()),
    folders: z.array(z.string()).meta({ description: 'The ids of folders.' })
  })
  .meta({ id: 'TemplateDefaults', description: defaultsMeaning })
export type TemplateDefaults = z.infer<typeof TemplateDefaults>

export const SummaryTemplate = z
  .object({
    id: z.string().meta({ examples: ['tpl_01m7xb2n8w4fte61c9d0hq5vzs'] }),
    name: z.string().meta({ examples: ['Design review'] }),
    built_in: z
      .boolean()
      .meta({ description: 'True for a template of the server. Only its `default_for` can be changed.' }),
    language: z.string().meta({ examples: ['transcript'] }),
    sections: z.array(TemplateSection).meta({ description: 'In the order of the summary.' }),
    default_for: TemplateDefaults,
    created_at: timestamp.nullable().meta({ description: 'Null for a built-in template.' }),
    updated_at: timestamp.nullable().meta({ description: 'Null for a built-in template.' }),
    warnings
  })
  .meta({ id: 'SummaryTemplate' })
export type SummaryTemplate = z.infer<typeof SummaryTemplate>

export const SummaryTemplateList = z
  .object({
    templates: z
      .array(SummaryTemplate)
      .meta({ description: 'The built-in ones, and then your own, the oldest first.' }),
    ...pageEnd(z.string())
  })
  .meta({ id: 'SummaryTemplateList' })
export type SummaryTemplateList = z.infer<typeof SummaryTemplateList>

export const TemplatesQuery = z.object({
  limit: pageLimit(LIMITS.templatesPage, 'The maximum number of templates to return.'),
  cursor: pageCursor
    .regex(/^tpl_[a-z0-9_]{1,40}$/, CURSOR_ERROR)
    .optional()
    .meta({ pattern: undefined, description: 'The `next_cursor` of the previous page.' })
})
export type TemplatesQuery = z.output<typeof TemplatesQuery>

const sectionError = 'an object with the heading of a section and what belongs there'
const sectionsError = `a list of 1 to ${maxSections} sections, each with its heading`

const NewSection = z.object(
  {
    heading: visible(maxHeading, 'text', oneLine),
    content: label(maxContent).default('').meta({ description: 'What belongs there: instructions for a provider.' }),
    part: oneOf(SUMMARY_PARTS)
      .nullable()
      .optional()
      .meta({ description: `${partMeaning} Default: by the heading, if it is a usual one such as "Decisions".` })
  },
  { error: sectionError }
)
export type NewSection = z.output<typeof NewSection>

const NewDefaults = z
  .object(
    {
      types: listOf(oneOf(SESSION_TYPES), SESSION_TYPES.length, 'types').optional(),
      tags: listOf(visible(LIMITS.tags.length), defaults, 'tags').optional(),
      folders: listOf(folderIdOrName, defaults, 'folders')
        .optional()
        .meta({ description: 'The ids or the names of folders.' })
    },
    { error: 'an object with types, tags and folders' }
  )
  .meta({ description: `${defaultsMeaning} A list that is not sent stays as it is.` })
export type NewDefaults = z.output<typeof NewDefaults>

const fields = {
  name: visible(maxName, 'name', oneLine),
  language,
  sections: z.array(NewSection, { error: sectionsError }).min(1, sectionsError).max(maxSections, sectionsError),
  default_for: NewDefaults
}
const bodyError = 'a JSON object with the name and the sections of the template'

export const SummaryTemplateCreate = z
  .object(
    { ...fields, language: language.default('transcript'), default_for: NewDefaults.default({}) },
    { error: bodyError }
  )
  .meta({ id: 'SummaryTemplateCreate' })
export type SummaryTemplateCreate = z.output<typeof SummaryTemplateCreate>

export const SummaryTemplatePatch = changeOf(
  'SummaryTemplatePatch',
  fields,
  bodyError,
  'at least one of name, language, sections and default_for'
)
export type SummaryTemplatePatch = z.output<typeof SummaryTemplatePatch>
