import { expect, test } from 'vitest'
import { measureSummaries } from '../../../bench/summaries/measure.ts'

/** Two meetings in spoken English, written for this test, with human summaries and labels. Nothing is tuned to them. */
const FOLDER = 'test/fixtures/summaries'
/** A little below what is reached, so that a change of one sentence passes and a loss of quality does not. */
const FLOOR: Record<string, number> = {
  'ROUGE-1': 0.48,
  'ROUGE-2': 0.2,
  'with decisions, of those where people tell one, %': 100,
  'words kept by cleaning %': 90,
  'statements with their source %': 100,
  'items: precision': 0.85,
  'items: recall of commitments': 0.8,
  'decisions: precision': 0.75,
  'decisions: meetings with a right one': 1
}
const CEILING: Record<string, number> = { 'noisy key points %': 8, 'items: done inside the call': 0 }

test('offline summaries are no worse than they were', () => {
  const { figures } = measureSummaries(FOLDER, `${FOLDER}/labels`)
  const values = new Map(figures.map(({ what, measured }) => [what.replace('summaries: ', ''), Number(measured)]))
  const below = Object.entries(FLOOR).filter(([what, floor]) => !((values.get(what) ?? Number.NaN) >= floor))
  const above = Object.entries(CEILING).filter(([what, ceiling]) => !((values.get(what) ?? Number.NaN) <= ceiling))
  expect([...below, ...above].map(([what, bound]) => `${what} is ${values.get(what)}, not ${bound}`)).toEqual([])
})
