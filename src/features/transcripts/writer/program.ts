/** The program of the processes that read long transcripts. */
import { servePool } from '../../../platform/work/pool-program.ts'
import { answerWork } from './writing.ts'

servePool(answerWork)
