import type { Turn } from '../transcript.ts'
import { completeTranscript, withLabels } from '../turns.ts'
import { readElements } from '../xml.ts'
import type { JsonRecord } from './fields.ts'

const BLOCKS = new Set(['p', 'div', 'li', 'br', 'h1', 'h2', 'h3'])

/** oTranscribe: a page of HTML in `text`, whose time stamps begin the turns. */
export function readOTranscribe({ text, ...more }: JsonRecord) {
  if (typeof text !== 'string' || !('media' in more || 'media-time' in more) || !/<(?:p|br|div|span)\b/i.test(text))
    return null
  const turns: Turn[] = []
  let open: Turn = { speaker: null, start: null, end: null, text: '' }
  /** Kept beside the text: trimming a text that grows at each element takes quadratic time. */
  let isSpoken = false
  let inStamp = false
  function begin(start: number | null) {
    if (isSpoken) turns.push(open)
    isSpoken = false
    open = { speaker: null, start, end: null, text: '' }
  }
  readElements(
    text,
    {
      open({ name, attributes }) {
        if (BLOCKS.has(name)) {
          if (!isSpoken) return
          open.text += '\n'
        }
        const seconds = Number(attributes['data-timestamp'] ?? Number.NaN)
        if (!Number.isFinite(seconds)) return
        begin(Math.max(0, seconds))
        inStamp = true
      },
      text(more) {
        if (inStamp) return
        open.text += more.replace(/\s+/g, ' ')
        if (/\S/.test(more)) isSpoken = true
      },
      close({ name }) {
        if (name === 'span') inStamp = false
        if (name === 'p' && isSpoken) open.text += '\n'
      }
    },
    { xml: false }
  )
  begin(null)
  return completeTranscript({ turns: withLabels(turns.map(turn => ({ ...turn, text: turn.text.trim() }))) })
}
