/** The program of the processes that write long transcripts as files. */
import { servePool } from '../../../platform/work/pool-program.ts'
import { answerWriting } from './writing.ts'

servePool(answerWriting)
