/** Returns whether the text has no visible character: a zero-width space counts as blank. */
export function isBlank(text: string) {
  return !/[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)
}

/** Control characters and all white space except the space. Ranges match faster than character classes. */
const ODD_ONE = String.raw`\x00-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`
const ODD = new RegExp(`[ ${ODD_ONE}]{2,}|[${ODD_ONE}]`)
const ODD_EACH = new RegExp(ODD, 'g')

/** Puts the text on one line: each run of white space and control characters becomes one space. */
export function oneLine(text: string) {
  // Most texts need no replacement, and the test is much cheaper.
  return (ODD.test(text) ? text.replace(ODD_EACH, ' ') : text).trim()
}
