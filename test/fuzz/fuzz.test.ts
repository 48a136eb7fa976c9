import { test } from 'vitest'
import { SEED } from '../support/seed.ts'
import { buildTestApp, testDatabase, testSender } from '../support/server.ts'
import type { Document } from './document.ts'
import { fuzz, PUBLIC_CASES } from './run.ts'
import { openWorld, type Sent } from './world.ts'

test(`whatever is sent, the answer is one that the document describes (seed ${SEED})`, {
  timeout: 900_000
}, async () => {
  const { db } = await testDatabase()
  // Every name is this machine, where nothing listens: what is sent to a made-up host has an answer at once.
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const app = await buildTestApp({ sender: testSender({ lookup }) })
  const document = (await app.inject('/v1/openapi.json')).json<Document>()
  // Taking a session out of a folder takes nothing away from either.
  const stays = ({ operation: { name }, query }: Sent) =>
    name === 'removeSessionFromFolder' ||
    (name === 'deleteSession' && query.some(([key, value]) => key === 'permanently' && value === 'false'))
  await fuzz({ document, cases: PUBLIC_CASES, mostRefused: 4, openWorld: () => openWorld({ db, app }), stays })
})
