/** Removes line breaks and characters that change the direction of text. */
export function nameInMail(text: string) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
