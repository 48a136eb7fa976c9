/** Replaces what a terminal would act on: a text of others, such as the name of a file, must not move the cursor or write over other lines. */
export function printable(text: string) {
  return text.replace(/[^\P{Cc}\n\t]/gu, ' ')
}

/** Writes a value as JSON without raw control characters, which JSON.stringify leaves from U+007F on. */
export function printableJson(value: unknown) {
  return JSON.stringify(value).replace(/[\x7f-\x9f]/g, sign => `\\u00${sign.charCodeAt(0).toString(16)}`)
}
