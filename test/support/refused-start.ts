import { expect } from 'vitest'
import { command } from './command.ts'
import { type Environment, endOf, jsonLines, start } from './process.ts'

/** Without the model, because making its file would take most of the time. */
const COMMON: Environment = { EMBEDDING_MODEL: 'none', LOG_LEVEL: 'warn' }

/** Returns the output of a server that cannot start: one line on standard error. */
export async function refusal(environment: Environment) {
  const { code, stdout, stderr } = await endOf(start({ ...COMMON, ...environment }, ['serve']))
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
  return stderr.trimEnd()
}

/** Expects the sentence from the server as its last words, and from `doctor` as the error of the database. */
export async function bothSay(environment: Environment, sentence: string | RegExp) {
  const said = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence)
  const [refused, found] = await Promise.all([refusal(environment), doctorOn(environment)])
  expect(refused).toEqual(said)
  expect(found).toEqual({ check: 'database', ok: false, detail: said })
}

export async function doctorOn(environment: Environment) {
  const { stdout } = await command({ environment: { ...COMMON, ...environment } }, 'doctor', '--json')
  return jsonLines(stdout).find(({ check }) => check === 'database')
}
