import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where the tests of a run keep the bundled model, which the first of them makes. */
export const modelFolder = join(tmpdir(), 'parlance-models')
