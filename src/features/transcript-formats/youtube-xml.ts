import { decodeHTMLStrict } from 'entities/decode'
import { LIMITS } from '../../contract/limits.ts'
import { type ParsedTranscript, type Turn, UnreadableTranscript } from './transcript.ts'
import { completeTranscript, withLabels } from './turns.ts'
import { type OpenElement, readElements } from './xml.ts'

/** YouTube's captions as XML: `srv1` with a `<text>` for each caption, `srv2` likewise, and `srv3` with `<p>` in milliseconds. */
export function parseYouTubeXml(content: string): ParsedTranscript {
  const turns: Turn[] = []
  let open: Turn | null = null
  let isOther = true
  readElements(
    content,
    {
      open(element) {
        const { name } = element
        if (name === 'text' || name === 'p') {
          open = { speaker: null, ...timesOf(element), text: '' }
          turns.push(open)
          isOther = false
        } else if (open && name === 'br') open.text += '\n'
      },
      text(more) {
        if (open) open.text += more
      },
      close({ name }) {
        if (name === 'text' || name === 'p') open = null
      }
    },
    { xml: true }
  )
  if (isOther) throw new UnreadableTranscript('The file is XML without captions: send TTML, .srt, .vtt or .txt.')
  // The texts of srv1 are escaped twice.
  const spoken = turns
    .map(turn => ({ ...turn, text: decodeHTMLStrict(turn.text) }))
    .filter(({ text }) => text.trim() !== '')
  const shown = spoken.map((turn, index) => ({ ...turn, end: earlier(turn.end, spoken[index + 1]?.start) }))
  return completeTranscript({ turns: withLabels(shown) })
}

function timesOf({ name, attributes }: OpenElement) {
  const unit = name === 'p' || 't' in attributes ? 1000 : 1
  const start = secondsIn(attributes.t ?? attributes.start, unit)
  const length = secondsIn(attributes.d ?? attributes.dur, unit)
  return { start, end: start === null || length === null ? null : Math.round((start + length) * 1000) / 1000 }
}

function secondsIn(text: string | undefined, unit: number) {
  if (text === undefined) return null
  const seconds = Number(text) / unit
  if (seconds >= 0 && seconds <= LIMITS.recordingSeconds) return seconds
  throw new UnreadableTranscript(`The time ${text.slice(0, 40)} cannot be read: write it as a number.`)
}

/** An automatic caption stays while the next one is spoken, so the next one ends it. */
function earlier(end: number | null, next: number | null | undefined) {
  return end === null || next === null || next === undefined ? end : Math.min(end, next)
}
