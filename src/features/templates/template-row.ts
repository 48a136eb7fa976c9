import type { SummaryTemplate, TemplateDefaults } from '../../contract/summary-template.ts'
import type { BuiltIn } from './built-in.ts'
import type { DefaultRow, TemplateRow } from './queries.ts'

export const TRANSCRIPT = 'transcript'

export function toTemplate(template: TemplateRow | BuiltIn, defaults: readonly DefaultRow[]): SummaryTemplate {
  const { templateId, name, sections } = template
  const own = 'createdAt' in template ? template : undefined
  return {
    id: templateId,
    name,
    built_in: own === undefined,
    language: own?.language ?? TRANSCRIPT,
    // In the order of the contract, which the database does not keep.
    sections: sections.map(({ heading, content, part }) => ({ heading, content, part })),
    default_for: toDefaults(defaults.filter(row => row.templateId === templateId)),
    created_at: own?.createdAt.toISOString() ?? null,
    updated_at: own?.updatedAt.toISOString() ?? null
  }
}

function toDefaults(defaults: readonly DefaultRow[]): TemplateDefaults {
  const valuesOf = (kind: DefaultRow['kind']) => defaults.flatMap(row => (row.kind === kind ? [row.value] : []))
  return { types: valuesOf('type'), tags: valuesOf('tag'), folders: valuesOf('folder') }
}
