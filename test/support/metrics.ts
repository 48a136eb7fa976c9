/** Returns the samples of a scrape: values by name with labels, as written. */
export function samplesOf(text: string) {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))])
  )
}

/** Returns the names that a scrape declares, with the names of their samples: those of a histogram end in _bucket, _sum and _count. */
export function namesOf(text: string) {
  const declared = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(
    declared.flatMap(([, name, type]) =>
      type === 'histogram' ? [name!, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!]
    )
  )
}

/** Returns the request counts of the public port so far, without times. */
export function answersOf(text: string) {
  const counts = [...samplesOf(text)].filter(([name]) =>
    name.startsWith('parlance_http_request_duration_seconds_count')
  )
  return Object.fromEntries(counts.map(([name, count]) => [name.slice(name.indexOf('{')), count]))
}
