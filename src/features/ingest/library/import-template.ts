import { z } from 'zod'
import { SESSION_TYPES } from '../../../contract/session.ts'
import { type NewDefaults, SummaryTemplateCreate } from '../../../contract/summary-template.ts'
import { throwNotFound } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { operation } from '../../access/operation.ts'
import type { Needs } from '../../services.ts'
import { findBuiltIn } from '../../templates/built-in.ts'
import { findBuiltInNamed } from '../../templates/choose.ts'
import { createSummaryTemplate, updateSummaryTemplate } from '../../templates/operations.ts'
import { type DefaultRow, findFolderIds, findTemplateNamed, selectDefaults } from '../../templates/queries.ts'

type Defaults = Required<NewDefaults>

const BuiltIn = z.object({ id: z.string(), built_in: z.literal(true) })

/**
 * Imports a template of an archive. One whose name is known stays as it is, and so does what has a default template. A built-in template becomes the
 * default for the rest. Throws not_found, after the import, for folders that the library lacks.
 */
export const importTemplate = operation(
  'createSummaryTemplate',
  async (services: Needs<'db' | 'clock'>, actor, entry: object): Promise<void> => {
    const { default_for: wanted, ...content } = readShape(SummaryTemplateCreate, entry, 'body')
    const { types = [], tags = [], folders = [] } = wanted
    const { db } = services
    const { data: builtIn } = BuiltIn.safeParse(entry)
    const isKnown = findBuiltInNamed(content.name) ?? (await findTemplateNamed(db, actor.userId, content.name))
    if (isKnown && !builtIn) return
    const known = await selectDefaults(db, actor.userId)
    const ids = await findFolderIds(db, actor.userId, folders)
    const free = freeOf(known, { types, tags, folders: ids.filter(id => id !== undefined) })
    if (!builtIn) await createSummaryTemplate(services, actor, { ...content, default_for: free })
    else if (findBuiltIn(builtIn.id) && Object.values(free).some(values => values.length > 0)) {
      const own = known.filter(({ templateId }) => templateId === builtIn.id)
      await updateSummaryTemplate(services, actor, builtIn.id, { default_for: withOwn(own, free) })
    }
    const missing = ids.indexOf(undefined)
    if (missing >= 0) throwNotFound('Folder', { field: `default_for.folders.${missing}` })
  }
)

/** Returns what has no default template yet. */
function freeOf(known: readonly DefaultRow[], { types, tags, folders }: Defaults): Defaults {
  const isFree = (kind: DefaultRow['kind']) => (value: string) =>
    !known.some(row => row.kind === kind && row.value === value)
  return {
    types: types.filter(isFree('type')),
    tags: tags.filter(isFree('tag')),
    folders: folders.filter(isFree('folder'))
  }
}

/** An update replaces each list, so what the template is a default for already is sent as well. */
function withOwn(own: readonly DefaultRow[], { types, tags, folders }: Defaults): Defaults {
  const valuesOf = (kind: DefaultRow['kind']) => own.flatMap(row => (row.kind === kind ? [row.value] : []))
  return {
    types: [...SESSION_TYPES.filter(type => valuesOf('type').includes(type)), ...types],
    tags: [...valuesOf('tag'), ...tags],
    folders: [...valuesOf('folder'), ...folders]
  }
}
