/**
 * One run of tests: node .ci/suite.ts <name> <script of package.json> [option of vitest…]
 *
 * Each file that failed runs once more, alone. If it passes then, the run has passed, and the file is named as one of chance: whoever reads the log finds
 * both outputs in it, and mends the test next. Writes "passed failed" into RESULTS/<name>.counted, and the files of chance into RESULTS/<name>.chance.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The part of vitest's JSON report that is read. */
interface Report {
  testResults: { name: string; status: string; assertionResults: { status: string }[] }[]
}

interface Count {
  passed: number
  failed: number
}

/** Seconds that a run may take; one that hangs must not cost the result of the others. */
const LIMIT_SECONDS = 2_400
/** With more failed files than this, a change broke something. */
const MOST_REPEATED = 6

/** An error that no test has caught, such as a promise that nobody awaits. */
const OUTSIDE = 'errors outside of tests'

const [name = '', script = '', ...options] = process.argv.slice(2)
const results = process.env.RESULTS ?? ''

const first = run(name, options)
const broken = first.filter(([file, { failed }]) => failed > 0 && file !== OUTSIDE).map(([file]) => file)
const repeated = broken.length > MOST_REPEATED ? [] : broken.flatMap(file => repeat(file))
const counts = new Map([...first, ...repeated])
const passed = sum('passed')
const failed = sum('failed')
const chance = repeated.filter(([, count]) => count.failed === 0).map(([file]) => file)
writeFileSync(join(results, `${name}.counted`), `${passed} ${failed}\n`)
writeFileSync(join(results, `${name}.chance`), chance.map(file => `${file}\n`).join(''))

const least = Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync('.ci/counts', 'utf8'))?.[1])
console.log(`${name}: ${passed} passed, ${failed} failed; at least ${least} must run`)
if (!(passed + failed >= least)) {
  console.log('Fewer tests ran than .ci/counts says.')
  process.exitCode = 1
}
if (failed > 0) process.exitCode = 1

/** Runs the tests, and returns the count of each file. A file that breaks before its first test counts as one failed test. */
function run(label: string, words: string[]): [string, Count][] {
  const report = join(results, `${label}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { error, status } = spawnSync('npm', ['run', script, '--', ...reporters, ...words], {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: LIMIT_SECONDS * 1_000
  })
  if (error) console.log(`The run took longer than ${LIMIT_SECONDS} s, or could not start: ${error.message}`)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const counted = testResults.map(({ name: file, status: outcome, assertionResults }): [string, Count] => {
    const count = (wanted: string) => assertionResults.filter(test => test.status === wanted).length
    const isBroken = outcome === 'failed' && count('failed') === 0
    return [relative('.', file), { passed: count('passed'), failed: count('failed') + (isBroken ? 1 : 0) }]
  })
  const isQuiet = status === 0 || counted.some(([, { failed }]) => failed > 0)
  return isQuiet ? counted : [...counted, [OUTSIDE, { passed: 0, failed: 1 }]]
}

function repeat(file: string) {
  console.log(`\n--- ${file} failed: once more, alone`)
  // vitest takes the option once, and runs the files of each folder that is named.
  const others = options.filter(option => option.startsWith('--') && !option.startsWith('--maxWorkers'))
  return run(`${name}.again`, [...others, '--maxWorkers=1', file])
}

function sum(of: keyof Count) {
  return [...counts.values()].reduce((total, count) => total + count[of], 0)
}
