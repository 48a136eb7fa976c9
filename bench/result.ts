import { rounded } from './table.ts'

/** The result of every benchmark: a line of the main table. */
export interface Figure {
  what: string
  measured: string
  /** The milliseconds of a request as its client sees them; empty without requests. */
  'p50 / p95 ms': string
  yardstick: string
  ratio: number | ''
  target: string
  met: boolean
}

export type Row = Record<string, string | number>

/** The results of a benchmark: its own tables, and its lines of the main table. */
export interface Outcome {
  tables: Row[][]
  figures: Figure[]
}

export interface Bound {
  atLeast?: number
  atMost?: number
  unit?: string
}

/** Returns the target as text, and whether the value meets it as shown. */
export function judged(value: number, { atLeast, atMost, unit = '' }: Bound): Pick<Figure, 'target' | 'met'> {
  const bounds = [atLeast !== undefined && `≥ ${atLeast}`, atMost !== undefined && `≤ ${atMost}`].filter(Boolean)
  return {
    target: `${bounds.join(', ')}${unit}`,
    met: (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost)
  }
}

/** Makes a figure that is a ratio to its yardstick. */
export function ratioFigure(
  what: string,
  {
    measured,
    latency = '',
    yardstick,
    ratio
  }: { measured: string; latency?: string; yardstick: string; ratio: number },
  bound: Bound
): Figure {
  const shown = rounded(ratio, 2)
  return { what, measured, 'p50 / p95 ms': latency, yardstick, ratio: shown, ...judged(shown, { unit: '×', ...bound }) }
}

/** Makes a figure without a yardstick. */
export function plainFigure(what: string, measured: string, value: number, bound: Bound, latency = ''): Figure {
  return { what, measured, 'p50 / p95 ms': latency, yardstick: '', ratio: '', ...judged(value, bound) }
}
