#!/usr/bin/env -S node --liftoff-only --max-semi-space-size=8 --disable-warning=ExperimentalWarning
import { CommanderError } from 'commander'
import { CommandFailed, reportFault, UsedWrongly } from './cli/output.ts'
import { buildProgram } from './cli/program.ts'

try {
  await buildProgram().parseAsync()
} catch (fault) {
  if (fault instanceof CommanderError) process.exitCode = fault.exitCode === 0 ? 0 : 2
  else {
    if (!(fault instanceof CommandFailed && fault.reported)) reportFault(fault)
    process.exitCode = fault instanceof UsedWrongly ? 2 : 1
  }
}
