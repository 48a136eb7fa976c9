import { distance } from 'fastest-levenshtein'

/** Longer names are not compared, because people mistype short ones. */
const MAX_LENGTH = 40
const MAX_EDITS = 2

/** Returns the known name that was probably meant: one in another form, such as `tags` or `tag[]` for `tag`, or with up to two typing errors. */
export function findNearestName(sent: string, known: readonly string[]) {
  if (sent.length > MAX_LENGTH) return undefined
  const plain = plainOf(sent)
  const inOtherForm = known.find(name => plainOf(name) === plain)
  const byEdits = known.map(name => ({ name, edits: distance(plain, plainOf(name)) })).sort((a, b) => a.edits - b.edits)
  const [nearest] = byEdits.filter(
    ({ name, edits }) => edits <= MAX_EDITS && edits * 2 < Math.min(name.length, plain.length)
  )
  return inOtherForm ?? nearest?.name
}

/** Removes case, separators, brackets and the ending of a plural or an id. */
function plainOf(name: string) {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/(?:ids?|s)$/, '')
}
