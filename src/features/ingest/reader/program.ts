/** The program of the processes that read what callers send. */
import { servePool } from '../../../platform/work/pool-program.ts'
import { answerReading } from './reading.ts'

servePool(answerReading)
