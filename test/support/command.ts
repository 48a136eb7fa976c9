import { tmpdir } from 'node:os'
import { runProgram } from '../../src/cli/program.ts'
import { type Environment, jsonLines } from './process.ts'
import { written } from './written.ts'

/**
 * Runs `parlance` in this process, in this environment and nothing else of ours. A child would first load all modules, which takes longer than
 * most commands. One at a time, since all share the console and the environment.
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

/** The values that a command with --json printed, which has to succeed. */
export async function commandJson(place: { environment: Environment }, ...words: string[]) {
  const { code, stdout, stderr } = await command(place, ...words, '--json')
  if (code !== 0) throw new Error(`parlance ${words.join(' ')} ended with ${code}: ${stderr}`)
  return jsonLines(stdout)
}
