import { LIMITS } from '../../contract/limits.ts'
import type {
  SummaryTemplate,
  SummaryTemplateCreate,
  SummaryTemplateList,
  SummaryTemplatePatch,
  TemplatesQuery
} from '../../contract/summary-template.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import { cutPage } from '../../platform/core/page.ts'
import { violates } from '../../platform/db/errors.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { operation } from '../access/operation.ts'
import { lockUser } from '../library/queries.ts'
import type { Needs } from '../services.ts'
import { BUILT_IN, findBuiltIn } from './built-in.ts'
import { findBuiltInNamed } from './choose.ts'
import { saveDefaults } from './defaults.ts'
import {
  countTemplates,
  deleteTemplateRow,
  findTemplateNamed,
  findTemplateRow,
  insertTemplate,
  saveTemplate,
  selectDefaults,
  selectTemplates
} from './queries.ts'
import { readSections } from './sections.ts'
import { TRANSCRIPT, toTemplate } from './template-row.ts'

const { perUser } = LIMITS.templates

/** Lists the built-in templates and then those of a user, the oldest first. All are read for each page, since there are few. */
export const listSummaryTemplates = operation(
  'listSummaryTemplates',
  async ({ db }: Needs<'db'>, actor, { limit, cursor }: TemplatesQuery): Promise<SummaryTemplateList> => {
    const rows = [...BUILT_IN, ...(await selectTemplates(db, actor.userId))]
    const defaults = await selectDefaults(db, actor.userId)
    const after = rows.findIndex(({ templateId }) => templateId === cursor)
    // The template of the cursor may be deleted by now. Ids of users' templates rise.
    const start = after >= 0 || cursor === undefined ? after + 1 : firstAfter(rows, cursor)
    const { page, next } = cutPage(rows.slice(start, start + limit + 1), limit, ({ templateId }) => templateId)
    return { templates: page.map(row => toTemplate(row, defaults)), ...next }
  }
)

function firstAfter(rows: readonly { templateId: string }[], cursor: string) {
  const at = rows.findIndex(({ templateId }, place) => place >= BUILT_IN.length && templateId > cursor)
  return at < 0 ? rows.length : at
}

export const getSummaryTemplate = operation(
  'getSummaryTemplate',
  async ({ db }: Needs<'db'>, actor, templateId: string): Promise<SummaryTemplate> => {
    return (await findOne(db, actor.userId, templateId)) ?? throwNotFound('Template')
  }
)

async function findOne(db: Db, userId: string, templateId: string) {
  const found = findBuiltIn(templateId) ?? (await findTemplateRow(db, userId, templateId))
  return found && toTemplate(found, await selectDefaults(db, userId))
}

/** Adds a template. Throws conflict for a name of another template, and for a default of another one. */
export const createSummaryTemplate = operation(
  'createSummaryTemplate',
  async (
    { db, clock }: Needs<'db' | 'clock'>,
    actor,
    { name, language: sent, sections: sentSections, default_for: defaults }: SummaryTemplateCreate
  ): Promise<SummaryTemplate> => {
    const { userId } = actor
    const sections = readSections(sentSections)
    return await change(db, userId, async tx => {
      await requireOwnName(tx, userId, name)
      if ((await countTemplates(tx, userId)) >= perUser)
        throw new ApiError(
          'limit_exceeded',
          `You would have more than ${perUser} summary templates, which is the limit; delete some first`
        )
      const content = { name, language: toLanguage(sent), sections, now: clock.now() }
      const { templateId } = await insertTemplate(tx, userId, content)
      await saveDefaults(tx, userId, templateId, defaults)
      return (await findOne(tx, userId, templateId)) ?? throwNotFound('Template')
    })
  }
)

export const updateSummaryTemplate = operation(
  'updateSummaryTemplate',
  async (
    { db, clock }: Needs<'db' | 'clock'>,
    actor,
    templateId: string,
    { default_for: defaults, name, language, sections }: SummaryTemplatePatch
  ): Promise<SummaryTemplate> => {
    const { userId } = actor
    const content = {
      ...(name !== undefined && { name }),
      ...(language !== undefined && { language: toLanguage(language) }),
      ...(sections && { sections: readSections(sections) })
    }
    return await change(db, userId, async tx => {
      const before = (await findOne(tx, userId, templateId)) ?? throwNotFound('Template')
      const [field] = Object.keys(content)
      if (before.built_in && field !== undefined)
        throw new ApiError('conflict', 'a built-in template can only be the default for other sessions', { field })
      if (name !== undefined) await requireOwnName(tx, userId, name, templateId)
      if (!before.built_in) await saveTemplate(tx, userId, templateId, content, clock.now())
      if (defaults) await saveDefaults(tx, userId, templateId, defaults)
      return (await findOne(tx, userId, templateId)) ?? throwNotFound('Template')
    })
  }
)

/** Deletes a template. Summaries that were made by it, and those that are being made, keep what it says. */
export const deleteSummaryTemplate = operation(
  'deleteSummaryTemplate',
  async ({ db }: Needs<'db'>, actor, templateId: string): Promise<void> => {
    const { userId } = actor
    if (findBuiltIn(templateId)) throw new ApiError('conflict', 'A built-in template can’t be deleted')
    await change(db, userId, async tx => {
      if (!(await deleteTemplateRow(tx, userId, templateId))) throwNotFound('Template')
    })
  }
)

/** Changes templates of a user, one request after the other, so that names and defaults stay with one template. */
async function change<T>(db: Db | Database, userId: string, run: (tx: Db) => Promise<T>) {
  const changed = db.transaction(async tx => {
    await lockUser(tx, userId)
    return await run(tx)
  })
  return await changed.catch((error: unknown) => {
    // The folder was deleted concurrently.
    if (violates(error, 'summary_template_defaults_folder_fk'))
      throwNotFound('Folder', { field: 'default_for.folders' })
    throw error
  })
}

async function requireOwnName(tx: Db, userId: string, name: string, templateId?: string) {
  const other = findBuiltInNamed(name) ?? (await findTemplateNamed(tx, userId, name))
  if (other && other.templateId !== templateId)
    throw new ApiError('conflict', `the template ${other.templateId} has this name already`, { field: 'name' })
}

function toLanguage(sent: string) {
  return sent === TRANSCRIPT ? null : sent
}
