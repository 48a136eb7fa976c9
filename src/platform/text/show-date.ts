import { LRUCache } from 'lru-cache'

/** Formatters by what they were made of. Making one takes longer than reading a session, and a list shows dozens of times in few zones. */
const FORMATTERS = new LRUCache<string, Intl.DateTimeFormat>({
  max: 100,
  memoMethod: made => {
    const [language, options]: [string, Intl.DateTimeFormatOptions] = JSON.parse(made)
    return new Intl.DateTimeFormat(language, options)
  }
})

/** An instant in a language, as `Intl.DateTimeFormat` shows it. */
export function showDate(instant: Date, language: string, options: Intl.DateTimeFormatOptions) {
  return FORMATTERS.memo(JSON.stringify([language, options])).format(instant)
}
