// @module-tag postgres
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { command, commandJson } from '../support/command.ts'
import { afterFile, fileIn, migratedDatabase, type Place, serve, temporaryFolder } from '../support/process.ts'

const SLOW = { timeout: 300_000 }
const finally_ = afterFile()
let place: Place

beforeAll(async () => {
  place = await migratedDatabase(finally_)
  await serve(place, finally_)
}, 90_000)

let users = 0

/** A user with a session, and what runs a command on their data. */
async function newOwner(at = place) {
  const email = `text-${++users}@example.com`
  await commandJson(at, 'user', 'create', '--email', email)
  const segments = [
    { speaker: 'Ada', start: 0, end: 4, text: 'We decided to move everything to par lance in April.' },
    { speaker: 'Ben', start: 4, end: 8, text: 'The contract with the old provider ends in May.' }
  ]
  const file = fileIn(temporaryFolder(), 'talk.json', JSON.stringify({ title: 'Talk', language: 'en', segments }))
  const [imported] = await commandJson(at, 'import', '--user', email, '--wait', file)
  const user = ['--user', email]
  return {
    session: String(imported?.session_id),
    run: (...words: string[]) => command(at, ...words, ...user),
    json: async (...words: string[]) => await commandJson(at, ...words, ...user)
  }
}

describe('parlance correct', () => {
  test('corrects a line, many lines of a file, and removes one', SLOW, async () => {
    const { session, run, json } = await newOwner()
    expect(
      await run('correct', session, '--line', '1', '--text', 'It ends in June.', '--speaker', 'Cleo')
    ).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(`^The transcript of ${session} is at version 2 now\\.\nIn the database `)
      ),
      stderr: ''
    })
    const segments = [
      { index: 0, text: 'Everything moves.' },
      { index: 1, text: 'In July.' }
    ]
    const file = fileIn(temporaryFolder(), 'lines.json', JSON.stringify({ segments }))
    const [changed] = await json('correct', session, '--file', file, '--if-version', '2')
    expect(changed).toMatchObject({
      id: session,
      version: 3,
      lines: [
        { index: 0, speaker: 'Ada', text: 'Everything moves.' },
        { index: 1, speaker: 'Cleo', text: 'In July.' }
      ]
    })
    expect((await json('correct', session, '--line', '0', '--remove'))[0]).toMatchObject({ version: 4, lines: [] })
  })

  test('says what is wrong with its options, and with the version', SLOW, async () => {
    const { session, run } = await newOwner()
    const cases = [
      [2, 'Name a line with --line, or many with --file', session],
      [2, 'segments.0.text: give text, speaker, start or end', session, '--line', '0'],
      [2, '--remove: give it without --text and --speaker', session, '--line', '0', '--remove', '--text', 'x'],
      [2, '--file: give it without --line, --text, --speaker and --remove', session, '--line', '0', '--file', 'x'],
      [1, '/nowhere.json cannot be read', session, '--file', '/nowhere.json'],
      [1, 'The user has no session ses_gone', 'ses_gone', '--line', '0', '--text', 'x'],
      [
        1,
        'if_version: the transcript is at version 1; read it again',
        session,
        '--line',
        '0',
        '--text',
        'x',
        '--if-version',
        '7'
      ]
    ] as const
    for (const [code, message, ...words] of cases)
      expect(await run('correct', ...words)).toEqual({ code, stdout: '', stderr: `${message}\n` })
  })
})

describe('parlance terms', () => {
  test('adds, lists, applies and deletes a term', SLOW, async () => {
    const { session, run, json } = await newOwner()
    const [term] = await json('terms', 'add', 'Parlance', '--heard', 'par lance', '--heard', 'parlants')
    expect(term).toMatchObject({ heard: ['par lance', 'parlants'], meant: 'Parlance' })
    const id = String(term?.id)
    expect((await run('terms', 'list')).stdout).toMatch(new RegExp(`${id}  Parlance  par lance \\| parlants\n$`))
    expect((await run('terms', 'apply', id, '--dry-run', '--wait')).stdout).toContain(
      `${id} would correct 1 lines in 1 sessions.`
    )
    expect((await run('terms', 'apply', id, '--wait')).stdout).toContain(`${id} has corrected 1 lines in 1 sessions.`)
    const [line] = (await json('correct', session, '--line', '1', '--text', 'In June.')) as [{ version: number }]
    expect(line.version).toBe(3)
    expect((await run('terms', 'delete', id)).stdout).toContain(`Deleted ${id}.`)
    expect(await run('terms', 'apply', id)).toEqual({ code: 1, stdout: '', stderr: `The user has no term ${id}\n` })
    expect(await run('terms', 'add', 'Parlance')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^heard: give a list of 1 to 50/)
    })
  })

  test('applies a term, and summarizes, also where no server runs', SLOW, async () => {
    const alone = await migratedDatabase()
    const { session, run, json } = await newOwner(alone)
    const [term] = await json('terms', 'add', 'Parlance', '--heard', 'par lance')
    const id = String(term?.id)
    expect((await run('terms', 'apply', id, '--dry-run', '--wait')).stdout).toContain(
      `${id} would correct 1 lines in 1 sessions.`
    )
    expect((await run('terms', 'apply', id)).stdout).toContain('or the next one that starts; with --wait')
    expect((await run('terms', 'apply', id, '--wait')).stdout).toContain(`${id} has corrected 1 lines in 1 sessions.`)
    expect((await run('summarize', session, '--wait')).stdout).toContain(`Summarized ${session}.`)
  })

  test('exports CSV that it imports again', SLOW, async () => {
    const [one, other] = [await newOwner(), await newOwner()]
    await one.json('terms', 'add', 'Kubernetes', '--heard', 'cuber netties')
    const file = join(temporaryFolder(), 'terms.csv')
    expect((await one.run('terms', 'export', file)).stdout).toBe(`Wrote 1 terms to ${file}.\n`)
    expect(readFileSync(file, 'utf8')).toBe('heard,meant\r\ncuber netties,Kubernetes\r\n')
    expect((await one.run('terms', 'export', '-')).stdout).toBe(readFileSync(file, 'utf8'))
    expect((await other.json('terms', 'import', file))[0]).toMatchObject({ added: 1, changed: 0 })
    expect((await other.run('terms', 'import', file)).stdout).toContain('Added 0 and extended 0 terms; there are 1.')
    const wrong = fileIn(temporaryFolder(), 'wrong.csv', 'a,b\nc,d\n')
    expect(await other.run('terms', 'import', wrong)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^body: the first line does not name the columns/)
    })
  })
})

describe('parlance templates and summarize', () => {
  test('add a template, and summarize by it', SLOW, async () => {
    const { session, run, json } = await newOwner()
    const [added] = await json(
      'templates',
      'add',
      'In short',
      '--section',
      'Settled: What: was decided.',
      '--section',
      'Decisions',
      '--for-tag',
      'short'
    )
    expect(added).toMatchObject({
      name: 'In short',
      sections: [
        { heading: 'Settled', content: 'What: was decided.', part: null },
        { heading: 'Decisions', content: '', part: 'decisions' }
      ],
      default_for: { types: [], tags: ['short'], folders: [] }
    })
    const id = String(added?.id)
    expect((await run('templates', 'list')).stdout.split('\n').map(line => line.split('  ')[0])).toContain(id)
    expect((await run('templates', 'show', id)).stdout).toBe(
      `${id}  In short\n- Settled (left out without a provider): What: was decided.\n- Decisions (decisions)\nlanguage: transcript\ntags: short\n`
    )
    expect((await run('summarize', session, '--template', 'IN SHORT', '--wait')).stdout).toContain(
      `Summarized ${session} by the template In short.`
    )
    expect((await run('summarize', session, '--no-template', '--wait')).stdout).toContain(`Summarized ${session}.`)
    expect((await json('summarize', session))[0]).toMatchObject({
      status: 'running',
      template: null,
      action_items: 'merge'
    })
    expect((await json('templates', 'update', id, '--no-defaults', '--name', 'Short'))[0]).toMatchObject({
      name: 'Short',
      default_for: { tags: [] }
    })
    expect((await run('templates', 'delete', id)).stdout).toContain(`Deleted ${id}.`)
  })

  test('say what is wrong', SLOW, async () => {
    const { session, run } = await newOwner()
    const cases = [
      [1, 'template: template not found', 'summarize', session, '--template', 'Nothing'],
      [1, 'The user has no session ses_gone', 'summarize', 'ses_gone'],
      [
        1,
        'language: the offline summarizer does not translate; give the language of the conversation, or nothing',
        'summarize',
        session,
        '--language',
        'de'
      ],
      [2, 'sections: give a list of 1 to 20 sections, each with its heading', 'templates', 'add', 'Empty'],
      [1, 'name: the template tpl_meeting has this name already', 'templates', 'add', 'meeting', '--section', 'a'],
      [1, 'A built-in template can’t be deleted', 'templates', 'delete', 'tpl_meeting'],
      [1, 'The user has no template tpl_gone', 'templates', 'show', 'tpl_gone']
    ] as const
    for (const [code, message, ...words] of cases)
      expect(await run(...words)).toEqual({ code, stdout: '', stderr: `${message}\n` })
  })
})
