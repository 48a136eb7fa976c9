#!/usr/bin/env -S node --liftoff-only
import { keepCompiledCode } from './platform/work/compile-cache.ts'

keepCompiledCode()
const { endWithReader } = await import('./cli/broken-pipe.ts')
const { runProgram } = await import('./cli/program.ts')

endWithReader()
process.exitCode = await runProgram(process.argv.slice(2))
