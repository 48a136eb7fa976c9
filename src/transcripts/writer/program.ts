/** The program of the processes that write long transcripts as files. */
import { writeFileSync } from 'node:fs'
import { answerWriting, type Writing } from './writing.ts'

// Linux should end this process where memory is short, and not the server.
if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
// A terminal sends these to the server's processes, too; the server ends this one when it has finished its requests.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
process.on('message', (writing: Writing) => process.send?.(answerWriting(writing)))
