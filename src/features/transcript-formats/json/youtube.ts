import { z } from 'zod'
import type { Turn } from '../transcript.ts'
import { completeTranscript, withLabels } from '../turns.ts'
import { type JsonRecord, millisecondsField, readEach, someObjects } from './fields.ts'

const Event = z.object({
  tStartMs: millisecondsField,
  dDurationMs: millisecondsField,
  segs: z.array(z.object({ utf8: z.string().nullish() })).nullish()
})

/** YouTube's json3: `events` whose `segs` are words. An automatic caption stays while the next line is spoken, so the next one ends it. */
export function readYouTube(json: JsonRecord) {
  const events = someObjects(json.events)
  if (!events?.some(event => 'segs' in event) || !events.every(event => 'tStartMs' in event || !('segs' in event)))
    return null
  const shown: Turn[] = readEach(Event, events, 'events').map(({ tStartMs: start, dDurationMs: length, segs }) => ({
    speaker: null,
    start,
    end: start === null || length === null ? null : start + length,
    text: (segs ?? []).map(({ utf8 }) => utf8 ?? '').join('')
  }))
  const spoken = shown.filter(({ text }) => text.trim() !== '')
  const rolls = events.some(event => 'wWinId' in event || 'aAppend' in event)
  const turns = rolls
    ? spoken.map((turn, index) => ({ ...turn, end: earlier(turn.end, spoken[index + 1]?.start) }))
    : spoken
  return completeTranscript({ turns: withLabels(turns) })
}

function earlier(end: number | null, next: number | null | undefined) {
  return end === null || next === null || next === undefined ? end : Math.min(end, next)
}
