import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { blocks, commandsOf, pages } from '../support/guides.ts'
import { files, read } from './source.ts'

/** The words before a command, as they are typed in the folder of the repository. */
const PREFIX = 'npm run -s parlance -- '
/** In a container and as the user of a service, there is no npm in between. */
const PROGRAM = /(?:npm run -s parlance --|src\/cli\.ts) (.+)$/

const program = await buildProgram()
const commands = namesOf(program)

test('every command of a page is one that there is, with options that it has', () => {
  const lines = blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf)
  const found = lines.flatMap(line => PROGRAM.exec(line)?.[1] ?? [])
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter(words => faultOf(words.match(/"[^"]*"|\S+/g) ?? []))).toEqual([])
})

test('every command that a message names can be typed as it stands', () => {
  const names = commands.filter(name => name !== 'import').join('|')
  const short = new RegExp(`(?:\\b\\w+:|\\brun|(?<!-s |'|psql )\\bparlance) (?:${names})(?![\\w.])`)
  const whole = new RegExp(`${PREFIX}(?:${names}|--help)`)
  const lines = files.flatMap(file => read(file).split('\n')).filter(line => !/^\s*(\/\/|\/?\*)/.test(line))
  expect(lines.filter(line => short.test(line))).toEqual([])
  const named = lines.filter(line => line.includes(PREFIX))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(line => !whole.test(line))).toEqual([])
})

test('the program is started in one way: by npm run -s parlance', () => {
  const others = /npx (--\S+ )*parlance|npm run parlance|npm run -s parlance(?! --)|npm exec/
  const texts = [...pages, 'CONTRIBUTING.md', 'deploy/citus/README.md', ...files.map(file => `src/${file}`)]
  expect(texts.filter(path => others.test(readFileSync(path, 'utf8')))).toEqual([])
  // A page on the design may speak of a command that nobody types there.
  const tasks = texts.filter(path => !path.startsWith('docs/design/'))
  const bare = new RegExp(`\`parlance (?:${commands.join('|')})\\b`)
  expect(tasks.filter(path => bare.test(readFileSync(path, 'utf8')))).toEqual([])
})

/** The names of all commands, such as `user create`. */
function namesOf(command: Command, before: string[] = []): string[] {
  return command.commands.flatMap(one => {
    const words = [...before, one.name()]
    return one.commands.length > 0 ? namesOf(one, words) : [words.join(' ')]
  })
}

/** Why these words are no command; undefined if they are one. */
function faultOf(words: string[]) {
  let command: Command = program
  const rest = [...words]
  while (command.commands.length > 0 && rest[0] !== '--help') {
    const next = command.commands.find(one => one.name() === rest[0])
    if (!next) return `no command ${rest[0]}`
    command = next
    rest.shift()
  }
  const given = rest.filter(word => word.startsWith('--'))
  const has = (flag: string) => ['--help', '--version', ...command.options.map(({ long }) => long)].includes(flag)
  const lacking = command.options
    .filter(({ mandatory, long }) => mandatory && !given.includes(long!))
    .map(({ long }) => `lacks ${long}`)
  return [...given.filter(flag => !has(flag)).map(flag => `no option ${flag}`), ...lacking][0]
}
