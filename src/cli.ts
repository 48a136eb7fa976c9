#!/usr/bin/env -S node --liftoff-only
import { CommanderError } from 'commander'
import { CommandFailed, UsedWrongly } from './cli/output.ts'
import { buildProgram } from './cli/program.ts'
import { reportError } from './server/report-error.ts'

try {
  await buildProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else {
    if (!(error instanceof CommandFailed && error.reported)) reportError(error)
    process.exitCode = error instanceof UsedWrongly ? 2 : 1
  }
}
