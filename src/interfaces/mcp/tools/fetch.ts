import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { oneLine } from '../../../contract/text.ts'
import { getSession } from '../../../features/sessions/operations.ts'
import { type Block, cutBlocks, NOTICE, sessionUrl, shownTime } from '../answer-text.ts'
import { conversation } from '../arguments.ts'
import { describeSession } from '../session-text.ts'
import { asJson, type Call, defineTool } from '../tool.ts'
import { readPart, spokenBlocks, transcriptHead } from '../transcript-text.ts'

/** The seconds that an id of a moment shows of the conversation before and after it. */
const BEFORE = 60
const AFTER = 300

export const fetch = defineTool({
  name: 'fetch',
  title: 'Read a conversation',
  description:
    'Reads what search found. An id such as ses_…#1408 shows the conversation around that second; one without a second shows summary, action items and the beginning. To read on, append another second.',
  operation: 'getSession',
  input: z.object({
    id: conversation
  }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.object({ timestamp: z.string().optional(), type: z.string(), duration_seconds: z.number() })
  }),
  async answer(call, { id: { id: sessionId, second } }) {
    const { services, actor } = call
    const session = await getSession(services, actor, sessionId)
    const id = momentId(session.id, second)
    const url = sessionUrl(services.publicUrl, session.id, second)
    const about = second === undefined ? await describeSession(call, session) : []
    const blocks: Spoken[] = [{ text: NOTICE }, ...about, ...(await spoken(call, session.id, second))]
    const { timestamp, type, duration_seconds } = session
    const metadata = { ...(timestamp !== null && { timestamp }), type, duration_seconds }
    const document = (text: string) => ({ id, title: oneLine(session.title), text, url, metadata })
    const room = LIMITS.agents.answer - sizeOf(JSON.stringify(document(''))) - NOTE_ROOM
    const { text, next } = cutBlocks(blocks, { room, sizeOf })
    const note = next === undefined ? '' : `\n\n${noteOf(blocks, Number(next), session.id)}`
    return asJson(document(`${text}${note}`))
  }
})

/** The id of a second in a session. */
export function momentId(sessionId: string, second: number | null | undefined) {
  return second === null || second === undefined ? sessionId : `${sessionId}#${Math.floor(second)}`
}

const NOTE_ROOM = 400

/** The object is sent as JSON, where some characters take two. */
function sizeOf(text: string) {
  return JSON.stringify(text).length
}

async function spoken(call: Call, sessionId: string, second: number | undefined): Promise<Spoken[]> {
  const { services, actor } = call
  if (!actor.scopes.has('transcripts:read'))
    return [{ text: 'The token may not read transcripts: it lacks the scope transcripts:read.' }]
  const around = second === undefined ? undefined : { from: second - BEFORE, to: second + AFTER }
  const part = await readPart(call, sessionId, { around })
  const head = { text: `\n${transcriptHead(services.publicUrl, sessionId, part)}` }
  if (!around || !part.hasTimes) return [head, ...spokenBlocks(part)]
  const note = { text: `\nThis is from ${shownTime(around.from)} to ${shownTime(around.to)} of the conversation.` }
  const onward = part.next !== undefined && { text: `To read on, fetch ${momentId(sessionId, part.next + BEFORE)}.` }
  return [head, ...(part.count > 0 ? spokenBlocks(part) : []), note, ...(onward ? [onward] : [])]
}

/** A block of the conversation knows its second, so that the next fetch can begin there. */
interface Spoken extends Block {
  start?: number
}

function noteOf(blocks: readonly Spoken[], next: number, sessionId: string) {
  const start = blocks.slice(Math.floor(next)).find(block => block.start !== undefined)?.start
  const onward = start === undefined ? sessionId : momentId(sessionId, start + BEFORE)
  return start === undefined
    ? `The rest is left out; read it with get_session and get_transcript of ${sessionId}.`
    : `The rest is left out. To read on, fetch ${onward}.`
}
