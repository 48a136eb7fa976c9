import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildTestApp, testDatabase, testSender } from '../support/server.ts'
import { checksOf } from './checks.ts'
import { type Document, operationsOf, resolverOf } from './document.ts'
import { casesOf } from './requests.ts'
import { openWorld, type Sent } from './world.ts'

/** FUZZ_CASES asks for more; FUZZ_SEED, as the name of the test has it, for the same ones again. */
const CASES = Number(process.env.FUZZ_CASES ?? 1_500)
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
/** After so many, another user begins anew. */
const EACH_WORLD = 50
/** With so many cases, nearly every route has been asked well by chance. */
const ENOUGH = 10_000
const MOST_REFUSED = 3
const SHOWN = 10

test(`whatever is sent, the answer is one that the document describes (seed ${SEED})`, { timeout: 900_000 }, async () => {
  const { db } = await testDatabase()
  // Every name is this machine, where nothing listens: what is sent to a made-up host has an answer at once.
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const app = await buildTestApp({ sender: testSender({ lookup }) })
  const document = (await app.inject('/v1/openapi.json')).json<Document>()
  const operations = operationsOf(document)
  const faultsOf = checksOf(document)
  const answered = new Map<string, Set<number>>(operations.map(({ name }) => [name, new Set()]))
  const failures: string[] = []

  let world = await openWorld({ db, app })
  for (const [number, one] of fc.sample(casesOf(operations, resolverOf(document)), { seed: SEED, numRuns: CASES }).entries()) {
    if (number % EACH_WORLD === 0) world = await openWorld({ db, app })
    const sent = world.filled(one)
    const answer = await world.send(sent)
    answered.get(sent.operation.name)?.add(answer.status)
    const faults = faultsOf(sent, answer)
    const reads = operations.find(({ path, method }) => path === sent.operation.path && method === 'GET')
    if (sent.operation.method === 'DELETE' && answer.status < 300 && reads) {
      const again = { operation: reads, url: sent.url.split('?')[0]!, headers: {}, body: undefined, anonymous: false }
      if ((await world.send(again)).status !== 404) faults.push('what it deleted is still there')
    }
    if (faults.length > 0) failures.push(`case ${number}: ${described(sent)}\n  ${faults.join('\n  ')}\n  ${answer.text.slice(0, 300)}`)
  }

  expect(failures.slice(0, SHOWN).join('\n\n')).toBe('')
  // Only refusals would prove little. Which of the routes that ask for much are never asked well is chance.
  const refused = [...answered].filter(([, statuses]) => ![...statuses].some(status => status < 300)).map(([name]) => name)
  if (CASES >= ENOUGH) expect(refused.slice(MOST_REFUSED)).toEqual([])
})

function described({ operation, url, headers, body }: Sent) {
  return `${operation.method} ${url.slice(0, 500)} ${JSON.stringify({ headers, body })?.slice(0, 1_000)}`
}
