/** Reads a header a line, as `Name: value`. */
export function readHeaderLines(text: string) {
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '')
  return Object.fromEntries(
    lines.map(line => {
      const [name = '', ...value] = line.split(':')
      return [name.trim(), value.join(':').trim()]
    })
  )
}
