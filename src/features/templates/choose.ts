import { throwNotFound } from '../../platform/core/api-error.ts'
import type { Db } from '../../platform/db/open.ts'
import { folderKey } from '../../platform/text/fold.ts'
import type { ChosenTemplate } from '../../platform/text/template.ts'
import { BUILT_IN, type BuiltIn, findBuiltIn } from './built-in.ts'
import { findDefaultId, findTemplateNamed, findTemplateRow, type TemplateRow } from './queries.ts'

/** Returns the default template of a session; null if it has none. */
export async function findDefaultTemplate(db: Db, userId: string, sessionId: string): Promise<ChosenTemplate | null> {
  const templateId = await findDefaultId(db, userId, sessionId)
  if (templateId === undefined) return null
  const found = findBuiltIn(templateId) ?? (await findTemplateRow(db, userId, templateId))
  return found ? toChosen(found) : null
}

/** Returns the template with this id or name. Throws not_found if there is none. */
export async function requireTemplate(db: Db, userId: string, idOrName: string): Promise<ChosenTemplate> {
  const found =
    findBuiltIn(idOrName) ??
    (await findTemplateRow(db, userId, idOrName)) ??
    findBuiltInNamed(idOrName) ??
    (await findTemplateNamed(db, userId, idOrName))
  return found ? toChosen(found) : throwNotFound('Template', { field: 'template' })
}

export function findBuiltInNamed(name: string) {
  const key = folderKey(name.trim())
  return BUILT_IN.find(template => folderKey(template.name) === key)
}

function toChosen(template: BuiltIn | TemplateRow): ChosenTemplate {
  const { templateId: id, name, sections } = template
  return { id, name, language: 'language' in template ? template.language : null, sections }
}
