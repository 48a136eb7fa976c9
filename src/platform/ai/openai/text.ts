import { storable } from '../../../contract/import-document.ts'
import { oneLine } from '../../../contract/text.ts'

/** Returns text that the database can store, on one line, so that it cannot pose as several lines of a prompt. */
export function toLine(text: string, maxCodePoints = Number.POSITIVE_INFINITY): string {
  return clip(oneLine(storable(text)), maxCodePoints)
}

export function clip(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text
  return Array.from(text.slice(0, maxCodePoints * 2))
    .slice(0, maxCodePoints)
    .join('')
    .trimEnd()
}
