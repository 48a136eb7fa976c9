/** The samples of a scrape: name with labels, as they stand there, to value. */
export function samplesOf(text: string) {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

/** The names a scrape declares, each with those its samples have: a histogram's end in _bucket, _sum and _count. */
export function namesOf(text: string) {
  const declared = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(
    declared.flatMap(([, name, type]) => (type === 'histogram' ? [name!, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!]))
  )
}

/** Returns the counts of the public port so far, without times. */
export function answersOf(text: string) {
  const counts = [...samplesOf(text)].filter(([name]) => name.startsWith('parlance_http_request_duration_seconds_count'))
  return Object.fromEntries(counts.map(([name, count]) => [name.slice(name.indexOf('{')), count]))
}
