import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { getSession } from '../../../features/sessions/operations.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { cutBlocks, NOTICE } from '../answer-text.ts'
import { conversations } from '../arguments.ts'
import { describeSession, SessionObject, toSessionObject } from '../session-text.ts'
import { type Call, defineTool } from '../tool.ts'

/** Left free for the sentence about what is left out. */
const NOTE_ROOM = 150

export const getSessionsTool = defineTool({
  name: 'get_sessions',
  title: 'Read several summaries',
  description: `Reads up to ${LIMITS.agents.sessions} conversations as get_session does, of each as much as there is room for.`,
  operation: 'getSession',
  input: z.object({ ids: conversations }),
  output: z.object({ sessions: z.array(SessionObject), missing: z.array(z.string()) }),
  async answer(call, { ids: places }) {
    const ids = [...new Set(places.map(({ id }) => id))]
    const room = Math.floor((LIMITS.agents.answer - NOTICE.length) / ids.length) - NOTE_ROOM
    const shown = await Promise.all(ids.map(id => showSession(call, id, room)))
    const found = shown.flatMap(one => one ?? [])
    const missing = ids.filter((_, at) => !shown[at])
    const gone = missing.length > 0 ? [`Not found: ${missing.length} of ${ids.length}.`] : []
    return {
      text: [NOTICE, ...gone, ...found.map(({ text }) => text)].join('\n\n'),
      object: { sessions: found.map(({ object }) => object), missing }
    }
  }
})

async function showSession(call: Call, id: string, room: number) {
  const session = await getSession(call.services, call.actor, id).catch(passOver)
  if (!session) return undefined
  const { text, parts, next } = cutBlocks(await describeSession(call, session), { room })
  const note = next === undefined ? '' : `\nThe rest is left out; get_session of ${session.id} has it.`
  return { text: `${text}${note}`, object: await toSessionObject(call, session, parts) }
}

function passOver(error: unknown) {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
}
