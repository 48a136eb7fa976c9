/** The program of the process that summarises long conversations. */
import { constants, setPriority } from 'node:os'
import { servePool } from '../../work/pool-program.ts'
import { answerSummary } from './worker.ts'

setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
servePool(answerSummary)
