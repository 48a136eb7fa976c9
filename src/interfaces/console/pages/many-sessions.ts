import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { addSessionToFolder, getFolder, removeSessionFromFolder } from '../../../features/folders/operations.ts'
import {
  changeTags,
  deleteSession,
  getSession,
  restoreSession,
  updateSession
} from '../../../features/sessions/operations.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { counted } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId } from '../path-params.ts'
import { backTo, changeEach, refusedView } from '../refused-rows.ts'
import { readTags } from '../tags.ts'

/** The target of the form around the list of sessions. Its boxes are named `session`, and its buttons `do`. */
export const MANY_SESSIONS_PATH = '/many'

const MAX = LIMITS.sessionsPage.max

const Deed = z.enum(
  ['favorite', 'unfavorite', 'tag', 'untag', 'folder', 'unfolder', 'trash', 'restore'],
  'one of the buttons of the list'
)

/** The state of the sessions after each button, in words. */
const DEEDS: Record<z.output<typeof Deed>, string> = {
  favorite: 'marked as a favourite',
  unfavorite: 'a favourite no more',
  tag: 'tagged',
  untag: 'without the tag',
  folder: 'put into the folder',
  unfolder: 'taken out of the folder',
  trash: 'moved to the trash',
  restore: 'restored'
}

const Many = z.object({
  session: z
    .array(pathId('ses'), 'at least one session')
    .min(1, 'at least one session')
    .max(MAX, `at most ${MAX} sessions`)
    .transform(ids => [...new Set(ids)]),
  do: Deed,
  tag: z
    .string()
    .max(LIMITS.tags.max * 2 * (LIMITS.tags.length + 1))
    .default(''),
  folder: pathId('fld').optional(),
  back: backTo('/')
})

/** Changes the selected sessions in turn, by the operations that change a single one, and names those that were refused. */
export function manySessions({ services, user }: Console) {
  user.form(MANY_SESSIONS_PATH, { ...NONE, body: Many }, async ({ visitor, link }, { body }) => {
    const { actor } = visitor
    const { session: ids, do: deed, back } = body
    const refusals = await changeEach(ids, await readChange(actor, body))
    if (refusals.length === 0) return { to: back }
    const rows = await Promise.all(refusals.map(refusal => rowOf(actor, refusal)))
    const done = ids.length - rows.length
    const words = `${done} of ${counted(ids.length, 'session')} ${done === 1 ? 'is' : 'are'} ${DEEDS[deed]}.`
    return refusedView({ link }, { words, rows, back, part: 'sessions' })
  })

  /** Returns the change of one session. Throws if the form lacks what every change needs. */
  async function readChange(actor: Actor, { do: deed, tag, folder }: z.output<typeof Many>) {
    switch (deed) {
      case 'favorite':
      case 'unfavorite':
        return (id: string) => updateSession(services, actor, id, { favorite: deed === 'favorite' })
      case 'tag':
      case 'untag': {
        const tags = readTags(tag)
        if (tags.length === 0 || tags.some(one => one.length > LIMITS.tags.length))
          throw invalid({ field: 'tag', expected: `a tag of at most ${LIMITS.tags.length} characters` })
        const tagging = deed === 'tag' ? { add: tags, remove: [] } : { add: [], remove: tags }
        return (id: string) => changeTags(services, actor, id, tagging)
      }
      case 'folder':
      case 'unfolder': {
        if (folder === undefined) throw invalid({ field: 'folder', expected: 'a folder' })
        await getFolder(services, actor, folder)
        const change = deed === 'folder' ? addSessionToFolder : removeSessionFromFolder
        return (id: string) => change(services, actor, id, folder)
      }
      case 'trash':
        return (id: string) => deleteSession(services, actor, id, 'trash')
      case 'restore':
        return (id: string) => restoreSession(services, actor, id)
    }
  }

  async function rowOf(actor: Actor, { id, words }: { id: string; words: string }) {
    const found = await getSession(services, actor, id).catch(() => undefined)
    return found ? { name: found.title, to: `/s/${id}`, words } : { name: id, words }
  }
}
