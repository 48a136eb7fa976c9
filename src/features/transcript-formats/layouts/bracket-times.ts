import { parseCueTime } from '../clock-time.ts'

/** A time in square brackets, which Markdown may escape; people also write `[05:12: 40.1]`, and a remark before the time. */
const BRACKETED = /\\?\[((?:[^[\]\\\n]{2,120}\s)?)((?=[^[\]]{0,16}:)[\s\\]{0,2}\d[\d:.,\s*]{2,18})\\{0,3}\]/gu
const LEADING = /^\s*\\?\[[\s\\]{0,2}((?=[^[\]]{0,16}:)\d[\d:.,\s*]{2,18})\\{0,3}\][:;,]?\s*/

/** Removes the times in brackets from a text, but not the remarks with them: `[inaudible 04:12]` becomes `[inaudible]`. */
export function withoutBracketTimes(text: string) {
  if (!text.includes('[')) return text
  const bare = text.replace(BRACKETED, (_, remark: string) => (remark.trim() === '' ? '' : `[${remark.trim()}]`))
  return bare === text ? text : bare.replace(/ {2,}/g, ' ').trim()
}

/** Returns the time in brackets that begins a text, and the text behind it. */
export function leadingBracketTime(text: string): { start: number | null; text: string } | null {
  const [found, time = ''] = LEADING.exec(text.slice(0, 60)) ?? []
  if (found === undefined) return null
  // Editors add the frame within the second.
  const seconds = parseCueTime(time.replace(/[\s*]/g, '').replace(/^(\d{2}:\d{2}:\d{2}):\d{2}$/, '$1'))
  return { start: Number.isFinite(seconds) ? seconds : null, text: text.slice(found.length) }
}
