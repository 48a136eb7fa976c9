/** The program of the processes that read what callers send. */
import { servePool } from '../../core/pool-program.ts'
import { answerReading } from './reading.ts'

servePool(answerReading)
