const ROLE =
  /\b(?:mr|mrs|ms|dr|prof|professor|hon|sir|herr|frau|mme|señora?|phd|grad|postdoc|speaker|participant|guest|unknown|manager|designer|interface|marketing|chair|engineer|director|agent|customer|caller|host|interviewer|support|sales|lead|doctor|patient|teacher|student)\b/i

/** The speaker label for each name that others may use: the whole label, and the first name where only one speaker has it. */
export function labelsByName(labels: readonly string[]): ReadonlyMap<string, string> {
  const names = labels.flatMap(label => {
    const bare = withoutRemark(label)
    const [first = ''] = bare.split(' ')
    return (ROLE.test(bare) || first === bare ? [bare] : [bare, first]).map(name => ({ name: name.toLowerCase(), label }))
  })
  const unique = [...Map.groupBy(names, ({ name }) => name)].filter(([name, owners]) => name.length > 2 && owners.length === 1)
  return new Map(unique.flatMap(([name, [owner]]) => (owner ? [[name, owner.label]] : [])))
}

/** A label without the brackets at its end, which hold an office or a party. */
export function withoutRemark(label: string): string {
  const open = label.trimEnd().replace(/(?<!\))\)+$/, '')
  const at = open.indexOf('(', open.lastIndexOf(')') + 1)
  return (at < 0 ? label : label.slice(0, at)).trim()
}
