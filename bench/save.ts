import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Figure } from './result.ts'

const FILE = fileURLToPath(new URL('results.md', import.meta.url))

/** A line of the results file, with its part of the benchmarks and its run. */
interface Kept {
  part: string
  run: string
  cells: string[]
}

const COLUMNS = ['what', 'measured', 'p50 / p95 ms', 'yardstick', 'ratio', 'target', 'met', 'part', 'run']

/** Returns the cells of a figure in the order of the table. */
export function cellsOf(figure: Figure) {
  const { what, measured, yardstick, ratio, target, met } = figure
  return [what, measured, figure['p50 / p95 ms'], yardstick, String(ratio), target, met ? 'yes' : 'NO']
}

/**
 * Opens a run that keeps its results in results.md. Each call writes the file: the given parts replace those of earlier runs, and the other
 * parts keep the facts of their runs. `order` is the order of the parts.
 */
export function openResults(facts: Record<string, string>, order: readonly string[]) {
  const before = existsSync(FILE) ? read(readFileSync(FILE, 'utf8')) : { lines: [], runs: [] }
  const run = String(1 + Math.max(0, ...before.runs.map(([id]) => Number(id))))
  const names = Object.keys(facts)
  const known = [...before.runs, [run, ...names.map(name => facts[name] ?? '')]]

  return (figures: ReadonlyMap<string, Figure[]>) => {
    const lines: Kept[] = [
      ...before.lines.filter(({ part }) => !figures.has(part)),
      ...[...figures].flatMap(([part, each]) => each.map(figure => ({ part, run, cells: cellsOf(figure) })))
    ].sort((a, b) => order.indexOf(a.part) - order.indexOf(b.part))
    const results = lines.map(({ part, run, cells }) => [...cells, part, run])
    const runs = known.filter(([id]) => lines.some(line => line.run === id))
    writeFileSync(
      FILE,
      `${INTRODUCTION}\n${markdown(COLUMNS, results)}\n\n${RUNS}\n\n${markdown(['run', ...names], runs)}\n`
    )
  }
}

const RUNS = '## Runs'

const INTRODUCTION = `# What was measured

Written by \`npm run bench -- --save\`; do not edit it. [The guide](../docs/design/benchmarks.md) says how to repeat it, \`npm run bench -- --help\` what each part is.

Costs are CPU time of a request in microseconds, of the server and of its database connections, in the round of least cost; every yardstick is measured in
turns with ours, in the same run. A ratio is the yardstick's cost divided by ours (≥), or ours divided by the yardstick's (≤). Milliseconds are what the client
sees, with 16 requests under way; growth, start and import have one at a time.

Only a quiet machine tells: under load everything costs several times as much, and ours more so than others, because fewer of its requests share a
statement. Look at the load at the start of the run.
`

function markdown(columns: string[], rows: string[][]) {
  const line = (cells: string[]) => `| ${cells.map(cell => cell.replaceAll('|', '/')).join(' | ')} |`
  return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** Reads the lines and runs of the results file. */
function read(text: string) {
  const [results = '', runs = ''] = text.split(RUNS)
  const rows = (part: string) =>
    part
      .split('\n')
      .filter(line => line.startsWith('| '))
      .slice(1)
      .map(line => line.slice(2, -2).split(' | '))
  return {
    lines: rows(results).map(
      (cells): Kept => ({ cells: cells.slice(0, -2), part: cells.at(-2) ?? '', run: cells.at(-1) ?? '' })
    ),
    runs: rows(runs)
  }
}
