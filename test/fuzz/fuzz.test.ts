import { test } from 'vitest'
import { SEED } from '../support/seed.ts'
import { buildTestApp, testDatabase, testSender } from '../support/server.ts'
import type { Document } from './document.ts'
import { ACTIONS_CASES, fuzz, PUBLIC_CASES } from './run.ts'
import { openWorld, type Sent } from './world.ts'

const SLOW = { timeout: 900_000 }

/** Taking a session out of a folder takes nothing away from either. */
function stays({ operation: { name }, query }: Sent) {
  return (
    name === 'removeSessionFromFolder' ||
    (name === 'deleteSession' && query.some(([key, value]) => key === 'permanently' && value === 'false'))
  )
}

async function servedAlone() {
  const { db } = await testDatabase()
  // Every name is this machine, where nothing listens: what is sent to a made-up host has an answer at once.
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  return { db, app: await buildTestApp({ sender: testSender({ lookup }) }) }
}

test(`whatever is sent, the answer is one that the document describes (seed ${SEED})`, SLOW, async () => {
  const { db, app } = await servedAlone()
  const document = (await app.inject('/v1/openapi.json')).json<Document>()
  await fuzz({ document, cases: PUBLIC_CASES, mostRefused: 4, openWorld: () => openWorld({ db, app }), stays })
})

test(`neither is it otherwise below /actions, by the profile of assistants (seed ${SEED})`, SLOW, async () => {
  const { db, app } = await servedAlone()
  const document = (await app.inject('/v1/openapi.json?profile=actions')).json<Document>()
  const world = () => openWorld({ db, app }, '/actions')
  await fuzz({ document, cases: ACTIONS_CASES, mostRefused: 2, openWorld: world, stays })
})
