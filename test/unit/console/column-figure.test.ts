import { expect, test } from 'vitest'
import { columnFigure } from '../../../src/interfaces/console/column-figure.ts'

const figure = async (values: number[]) =>
  String(
    await columnFigure({
      id: 'one',
      title: 'Hours <a week>',
      description: 'Few.',
      columns: values.map((value, at) => ({ label: `Week ${at}`, value, tick: at === 0 ? 'Jan' : undefined })),
      words: value => `${value} hours`,
      mark: value => `${value} h`
    })
  )

/** The heights of the columns, the highest of which the figure has 110. */
const heightsIn = (svg: string) => [...svg.matchAll(/<rect [^>]*height="([^"]*)"/g)].map(([, height]) => Number(height))
const marksIn = (svg: string) => [...svg.matchAll(/<text class="scale"[^>]*>([^<]*)</g)].map(([, mark]) => mark)

test.each([
  [
    [0, 0],
    [0, 0],
    ['2 h', '1 h']
  ],
  [
    [1, 2],
    [55, 110],
    ['2 h', '1 h']
  ],
  [
    [3, 0],
    [82.5, 0],
    ['4 h', '2 h']
  ],
  [
    [6, 3],
    [110, 55],
    ['6 h', '3 h']
  ],
  [
    [7, 10],
    [77, 110],
    ['10 h', '5 h']
  ],
  [
    [11, 20],
    [60.5, 110],
    ['20 h', '10 h']
  ],
  [
    [1_000_000, 500_000],
    [110, 55],
    ['1000000 h', '500000 h']
  ],
  // The smallest value stays visible.
  [
    [0.001, 1_000],
    [2, 110],
    ['1000 h', '500 h']
  ]
])('columns of %j have the heights %j and the scale %j', async (values, heights, marks) => {
  const svg = await figure(values)
  expect([heightsIn(svg), marksIn(svg)]).toEqual([heights, marks])
})

test('a figure has a title and a description, and names each value', async () => {
  const svg = await figure([1, 2])
  expect(svg).toContain('role="group" aria-labelledby="one-title one-about"')
  expect(svg).toContain('<title id="one-title">Hours &lt;a week&gt;</title><desc id="one-about">Few.</desc>')
  expect(svg).toContain('<title>Week 1: 2 hours</title>')
  expect(svg.match(/>Jan</g)).toHaveLength(1)
})
