import { tmpdir } from 'node:os'
import { runProgram } from '../../src/cli/program.ts'
import { type Environment, jsonLines } from './process.ts'
import { written } from './written.ts'

/**
 * Runs `parlance` in this process, in this environment only. A child process would load all modules first, which takes longer than
 * most commands. Commands run one at a time, because they share the console and the environment.
 */
export async function command({ environment }: { environment: Environment }, ...words: string[]) {
  const ours = process.env
  process.env = { PATH: ours.PATH, HOME: ours.HOME, TMPDIR: tmpdir(), ...environment }
  try {
    const { result, ...output } = await written(() => runProgram(words))
    return { code: result, ...output }
  } finally {
    process.env = ours
  }
}

/** Runs a command with --json that has to succeed, and returns the printed values. */
export async function commandJson(place: { environment: Environment }, ...words: string[]) {
  const { code, stdout, stderr } = await command(place, ...words, '--json')
  if (code !== 0) throw new Error(`parlance ${words.join(' ')} ended with ${code}: ${stderr}`)
  return jsonLines(stdout)
}
