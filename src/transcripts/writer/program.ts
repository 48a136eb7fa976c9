/** The program of the processes that write long transcripts as files. */
import { servePool } from '../../core/pool-program.ts'
import { answerWriting } from './writing.ts'

servePool(answerWriting)
