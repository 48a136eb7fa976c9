#!/usr/bin/env -S node --liftoff-only
import { endWithReader } from './cli/broken-pipe.ts'
import { runProgram } from './cli/program.ts'

endWithReader()
process.exitCode = await runProgram(process.argv.slice(2))
