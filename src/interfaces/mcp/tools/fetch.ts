import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { oneLine } from '../../../contract/text.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { type Block, cutBlocks, NOTICE, shownTime } from '../answer-text.ts'
import { conversation, type Place, placeId, placeUrl } from '../arguments.ts'
import { loadConversation } from '../session-text.ts'
import { asJson, type Call, defineTool, READABLE_IDS } from '../tool.ts'
import { readPart, spokenBlocks, transcriptHead } from '../transcript-text.ts'

/** The seconds that an id of a moment shows of the conversation before and after it. */
const BEFORE = 60
const AFTER = 300

export const fetch = defineTool({
  name: 'fetch',
  title: 'Read a conversation',
  description:
    'Reads what search found: ses_…#1408 around that second; an id without a second shows summary, action items and the beginning. To read on, append another second.',
  operation: 'getSession',
  steps: { subject: READABLE_IDS },
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
  async answer(call, { id: place }) {
    const [id, url] = [placeId(place), placeUrl(call.services.publicUrl, place)]
    const { title, timestamp, type, duration_seconds, ...described } = await loadConversation(call, place)
    const about = place.second === undefined ? described.blocks : []
    const blocks: Spoken[] = [{ text: NOTICE }, ...about, ...(await spoken(call, place))]
    const metadata = { ...(timestamp !== null && { timestamp }), type, duration_seconds }
    const document = (text: string) => ({ id, title: oneLine(title), text, url, metadata })
    const room = LIMITS.agents.answer - sizeOf(JSON.stringify(document(''))) - NOTE_ROOM
    const { text, next } = cutBlocks(blocks, { room, sizeOf })
    const note = next === undefined ? '' : `\n\n${noteOf(blocks, Number(next), place)}`
    return asJson(document(`${text}${note}`))
  }
})

const NOTE_ROOM = 400

/** The object is sent as JSON, where some characters take two. */
function sizeOf(text: string) {
  return JSON.stringify(text).length
}

async function spoken(call: Call, { second, ...place }: Place): Promise<Spoken[]> {
  const { services, actor } = call
  if (!actor.scopes.has('transcripts:read'))
    return [{ text: 'The token may not read transcripts: it lacks the scope transcripts:read.' }]
  const around = second === undefined ? undefined : { from: second - BEFORE, to: second + AFTER }
  const part = await readPart(call, place, { around }).catch(unlessShared(place))
  if (!part) return [{ text: 'The owner does not share the transcript.' }]
  const head = { text: `\n${transcriptHead(services.publicUrl, place, part)}` }
  if (!around || !part.hasTimes) return [head, ...spokenBlocks(part)]
  const note = { text: `\nThis is from ${shownTime(around.from)} to ${shownTime(around.to)} of the conversation.` }
  const onward = part.next !== undefined && {
    text: `To read on, fetch ${placeId({ ...place, second: part.next + BEFORE })}.`
  }
  return [head, ...(part.count > 0 ? spokenBlocks(part) : []), note, ...(onward ? [onward] : [])]
}

/** A block of the conversation knows its second, so that the next fetch can begin there. */
interface Spoken extends Block {
  start?: number | undefined
}

/** Passes over a transcript that is not shared with the rest of a conversation. */
function unlessShared({ owner }: Place) {
  return (error: unknown) => {
    if (owner === undefined || !(error instanceof ApiError) || error.code !== 'not_found') throw error
  }
}

function noteOf(blocks: readonly Spoken[], next: number, { id, owner }: Place) {
  const start = blocks.slice(Math.floor(next)).find(block => block.start !== undefined)?.start
  const onward = placeId({ id, owner, second: start === undefined ? undefined : start + BEFORE })
  return start === undefined
    ? `The rest is left out; read it with get_session and get_transcript of ${onward}.`
    : `The rest is left out. To read on, fetch ${onward}.`
}
