import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { cutBlocks, NOTICE } from '../answer-text.ts'
import { conversations, type Place, placeId } from '../arguments.ts'
import { loadConversation, SessionObject } from '../session-text.ts'
import { type Call, defineTool } from '../tool.ts'

/** Lists what most programs read. A conversation has all that get_session lists. */
const Row = SessionObject.pick({ id: true, title: true, url: true, summary: true, notes: true, action_items: true })

/** Left free for the sentence about what is left out. */
const NOTE_ROOM = 150

export const getSessionsTool = defineTool({
  name: 'get_sessions',
  title: 'Read several summaries',
  description: `Reads up to ${LIMITS.agents.sessions} conversations as get_session does, of each as much as there is room for.`,
  operation: 'getSession',
  input: z.object({ ids: conversations }),
  output: z.object({ sessions: z.array(Row), missing: z.array(z.string()) }),
  async answer(call, { ids: places }) {
    const byId = new Map(places.map(({ id, owner }) => [placeId({ id, owner }), { id, owner }]))
    const room = Math.floor((LIMITS.agents.answer - NOTICE.length) / byId.size) - NOTE_ROOM
    const shown = await Promise.all([...byId].map(([id, place]) => showSession(call, id, place, room)))
    const found = shown.flatMap(one => one ?? [])
    const missing = [...byId.keys()].filter((_, at) => !shown[at])
    const gone = missing.length > 0 ? [`Not found: ${missing.length} of ${byId.size}.`] : []
    return {
      text: [NOTICE, ...gone, ...found.map(({ text }) => text)].join('\n\n'),
      object: { sessions: found.map(({ object }) => object), missing }
    }
  }
})

async function showSession(call: Call, id: string, place: Place, room: number) {
  const loaded = await loadConversation(call, place).catch(passOver)
  if (!loaded) return undefined
  const { text, parts, next } = cutBlocks(loaded.blocks, { room })
  const note = next === undefined ? '' : `\nThe rest is left out; get_session of ${id} has it.`
  return { text: `${text}${note}`, object: loaded.toObject(parts) }
}

function passOver(error: unknown) {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
}
