import { openDatabase } from '../../src/platform/db/open.ts'
import { openJobs } from '../../src/platform/jobs/jobs.ts'

// A worker that takes a job and never ends it: to be killed in the middle.
const [url = '', dataDir = ''] = process.argv.slice(2)
const database = await openDatabase({
  url: url || undefined,
  dataDir,
  share: true,
  name: 'parlance test',
  onError: () => {}
})
const jobs = await openJobs(database, { supervise: false, onError: () => {} })
await jobs.work('process-session', 1, async ({ sessionId }) => {
  console.log(sessionId)
  await new Promise(() => {})
})
