import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { signedIn } from '../../support/console.ts'
import { longestTurn } from '../../support/processor-time.ts'

/** Fills a summary of the greatest length with blocks of a text that is repeated. */
function repeated(piece: string) {
  const block = `${piece.repeat(3_990 / piece.length)}\n\n`
  return block.repeat(LIMITS.summary / block.length)
}

const BOLD = '- **Ada**: sends the _offers_, see https://a.example/b\n'

const MAX_LOOP_MS = 100
const READERS_AT_ONCE = 2 * LIMITS.longReads.users.perOwner

describe('a page with a long summary', () => {
  test.each([
    ['emphasis', '_*a'],
    ['strong emphasis', '__a__b'],
    ['lines of tables', '|\n|-\n'],
    ['marks of images', '!'],
    ['entries of a list', BOLD]
  ])('of %s lets other requests be served meanwhile', { timeout: 120_000 }, async (_, piece) => {
    const { user, browser } = await signedIn()
    const id = await user.session({ summary: repeated(piece) })
    const { result, longestMs } = await longestTurn(() => browser.get(`/s/${id}`))
    expect([result.status, result.body.length > LIMITS.summary]).toEqual([200, true])
    expect(longestMs).toBeLessThan(MAX_LOOP_MS)
  })

  test('is Markdown if it could be written by a person, and text as it is where it could not', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ summary: `${BOLD.repeat(70)}\n${'_*a'.repeat(1_300)}` })
    const { body } = await browser.get(`/s/${id}`)
    expect(body.match(/<li><strong>Ada<\/strong>: sends the <em>offers<\/em>/g)?.length).toBe(70)
    expect(body).toContain(`<p class="as-is">${'_*a'.repeat(1_300)}</p>`)
  })

  test('is refused with 503 to a user who loads too many of them at once', { timeout: 120_000 }, async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ summary: repeated(BOLD) })
    const pages = await Promise.all(Array.from({ length: READERS_AT_ONCE }, () => browser.get(`/s/${id}`)))
    const refused = pages.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      refused.map(() => [503, '5'])
    )
    expect((await browser.get(`/s/${id}`)).status).toBe(200)
  })
})
