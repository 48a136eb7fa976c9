import { rounded } from './table.ts'

/** What every benchmark ends in: a line of the one table. */
export interface Figure {
  what: string
  measured: string
  /** Milliseconds a request takes as its client sees it; empty where there are no requests. */
  'p50 / p95 ms': string
  yardstick: string
  ratio: number | ''
  target: string
  met: boolean
}

export type Row = Record<string, string | number>

/** What a benchmark found: its own tables, and its lines of the one table. */
export interface Outcome {
  tables: Row[][]
  figures: Figure[]
}

export interface Bound {
  atLeast?: number
  atMost?: number
  unit?: string
}

/** The target in words and whether the value, as it is shown, meets it. */
export function judged(value: number, { atLeast, atMost, unit = '' }: Bound): Pick<Figure, 'target' | 'met'> {
  const bounds = [atLeast !== undefined && `≥ ${atLeast}`, atMost !== undefined && `≤ ${atMost}`].filter(Boolean)
  return {
    target: `${bounds.join(', ')}${unit}`,
    met: (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost)
  }
}

/** A figure that is a ratio to its yardstick. */
export function ratioFigure(
  what: string,
  { measured, latency = '', yardstick, ratio }: { measured: string; latency?: string; yardstick: string; ratio: number },
  bound: Bound
): Figure {
  const shown = rounded(ratio, 2)
  return { what, measured, 'p50 / p95 ms': latency, yardstick, ratio: shown, ...judged(shown, { unit: '×', ...bound }) }
}

/** A figure that is judged by itself. */
export function plainFigure(what: string, measured: string, value: number, bound: Bound, latency = ''): Figure {
  return { what, measured, 'p50 / p95 ms': latency, yardstick: '', ratio: '', ...judged(value, bound) }
}
