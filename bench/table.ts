/** Formats rows as lines, with columns as wide as needed and numbers to the right. */
export function table(rows: Record<string, string | number>[]) {
  const keys = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const lines = [keys, ...rows.map(row => keys.map(key => String(row[key] ?? '')))]
  const widths = keys.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  const right = keys.map(key => rows.some(row => typeof row[key] === 'number'))
  return lines
    .map(line =>
      line
        .map((cell, column) => (right[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
    )
    .map(line => line.trimEnd())
    .join('\n')
}

/** Rounds the number to the digits that are worth reading. */
export function rounded(value: number, digits = 0) {
  return Number(value.toFixed(digits))
}
