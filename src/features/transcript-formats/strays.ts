import { oneLine } from '../../contract/text.ts'

const MAX_SHOWN = 200

/** Returns a warning that shows the lines before the first cue, or none. */
export function describeStrays(strays: readonly { line: number; text: string }[]): string[] {
  const [first, last] = [strays[0], strays.at(-1)]
  if (!first || !last) return []
  const lines = first.line === last.line ? `Line ${first.line} is` : `Lines ${first.line} to ${last.line} are`
  const text = oneLine(strays.map(stray => stray.text).join(' '))
  return [
    `${lines} before the first cue and ignored: ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`
  ]
}
