import { oneLine as onOneLine } from '../../contract/text.ts'

/** Without NUL and lone surrogates, which neither the database nor every JSON parser takes. */
export function clean(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Cs}/gu, '')
}

/** On one line, so that a text cannot pose as several lines of a prompt. */
export function oneLine(text: string): string {
  return onOneLine(clean(text))
}

/** At most so many code points. */
export function clip(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text
  return Array.from(text.slice(0, codePoints * 2))
    .slice(0, codePoints)
    .join('')
    .trimEnd()
}
