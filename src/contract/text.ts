/** Whether there is nothing to see in the text: a zero-width space is as blank as a space. */
export function isBlank(text: string) {
  return !/[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)
}

/** Control characters, and all white space but the blank, as a range each: a class that is written out is looked for faster. */
const ODD_ONE = String.raw`\x00-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`
const ODD = new RegExp(`[ ${ODD_ONE}]{2,}|[${ODD_ONE}]`)
const ODD_EACH = new RegExp(ODD, 'g')

/** The text on one line, so that it cannot pose as several: each stretch of white space and control characters is one blank. */
export function oneLine(text: string) {
  // Nearly all white space is one blank already: looking is cheap, and replacing would be most of what a transcript costs.
  return (ODD.test(text) ? text.replace(ODD_EACH, ' ') : text).trim()
}
