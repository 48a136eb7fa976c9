/** Whether there is nothing to see in the text: a zero-width space is as blank as a space. */
export function isBlank(text: string) {
  return !/[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)
}

const CONTROL = String.raw`\x00-\x1f\x7f-\x9f`
const ODD = new RegExp(`[\\s${CONTROL}]{2,}|[^\\S ]|[${CONTROL}]`)
const ODD_EACH = new RegExp(ODD, 'g')

/** The text on one line, so that it cannot pose as several: each stretch of white space and control characters is one blank. */
export function oneLine(text: string) {
  // Nearly all white space is one blank already: looking is cheap, and replacing would be most of what a transcript costs.
  return (ODD.test(text) ? text.replace(ODD_EACH, ' ') : text).trim()
}
