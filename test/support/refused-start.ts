import { expect } from 'vitest'
import { type Environment, endOf, jsonLines, run, start } from './process.ts'

/** Making the file of the model would take most of the time. */
const COMMON: Environment = { EMBEDDING_MODEL: 'none', LOG_LEVEL: 'warn' }

/** The output of a server that cannot start: one line on standard error, nothing else. */
export async function refusal(environment: Environment) {
  const { code, stdout, stderr } = await endOf(start({ ...COMMON, ...environment }, ['serve']))
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
  return stderr.trimEnd()
}

/** The server ends with the sentence, and `doctor` has it as what is wrong with the database. */
export async function bothSay(environment: Environment, sentence: string | RegExp) {
  const said = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence)
  const [refused, found] = await Promise.all([refusal(environment), doctorOn(environment)])
  expect(refused).toEqual(said)
  expect(found).toEqual({ check: 'database', ok: false, detail: said })
}

export async function doctorOn(environment: Environment) {
  const { stdout } = await run({ environment: { ...COMMON, ...environment } }, 'doctor', '--json')
  return jsonLines(stdout).find(({ check }) => check === 'database')
}
