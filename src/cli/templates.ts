import { type Command, Option } from 'commander'
import { z } from 'zod'
import { SESSION_TYPES } from '../contract/session.ts'
import { type SummaryTemplate, SummaryTemplateCreate, SummaryTemplatePatch } from '../contract/summary-template.ts'
import { everyScope } from '../features/access/actor.ts'
import {
  createSummaryTemplate,
  deleteSummaryTemplate,
  getSummaryTemplate,
  listSummaryTemplates,
  updateSummaryTemplate
} from '../features/templates/operations.ts'
import { describeError } from '../platform/core/api-error.ts'
import { refusedByShape } from '../platform/core/remedy.ts'
import { withUser } from './context.ts'
import { addOwnerCommand, type OwnerOptions, optionsOf } from './options.ts'
import { orFail, orUnknown, show, showDone, showList, UsedWrongly } from './output.ts'

export function addTemplates(program: Command) {
  const templates = program.command('templates').description('the sections of summaries')
  addOwnerCommand(
    templates,
    'list',
    'list the built-in templates, and then those of the user',
    'one JSON value per line'
  ).action(list)
  addOwnerCommand(templates, 'show', 'show a template').argument('<id>', 'id of the template').action(showOne)
  const add = addOwnerCommand(templates, 'add', 'add a template').argument('<name>', 'name')
  addFields(add).action(create)
  const update = addOwnerCommand(templates, 'update', 'change a template, or what a built-in one is the default for')
  addFields(update.argument('<id>', 'id of the template').option('--name <name>', 'name'))
    .option('--no-defaults', 'the default for nothing any more')
    .action(change)
  addOwnerCommand(templates, 'delete', 'delete a template; summaries stay as they are')
    .argument('<id>', 'id of the template')
    .action(remove)
}

function addFields(command: Command) {
  return command
    .option(
      '--section <section>',
      'a section: its heading, or heading: what belongs there; repeat for more, in their order',
      optionsOf(z.string())
    )
    .option('--language <code>', 'transcript, or the code of a language, such as de')
    .addOption(
      new Option('--for-type <type>', 'type of sessions that it is the default for; repeat for more').argParser(
        optionsOf(z.enum(SESSION_TYPES, { error: `one of ${SESSION_TYPES.join(', ')}` }))
      )
    )
    .option('--for-tag <tag>', 'tag of sessions that it is the default for; repeat for more', optionsOf(z.string()))
    .option('--for-folder <folder>', 'id or name of a folder; repeat for more', optionsOf(z.string()))
}

interface Fields extends OwnerOptions {
  name?: string
  section?: string[]
  language?: string
  forType?: string[]
  forTag?: string[]
  forFolder?: string[]
  defaults?: boolean
}

type Options = Omit<Fields, keyof OwnerOptions>

const PAGE = 100

async function list({ user, json }: OwnerOptions) {
  await withUser(user, async ({ db }, userId) => {
    const actor = everyScope(userId, 'command')
    const found: SummaryTemplate[] = []
    let cursor: string | undefined
    do {
      const page = await listSummaryTemplates({ db }, actor, { limit: PAGE, cursor })
      found.push(...page.templates)
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    showList(json, json ? found : found.map(toLine))
  })
}

function toLine({ id, name, sections, default_for: { types, tags, folders } }: SummaryTemplate) {
  const headings = sections.map(({ heading }) => heading).join(', ')
  return { id, name, default_for: [...types, ...tags, ...folders].join(', ') || '-', sections: headings }
}

async function showOne(id: string, { user, json }: OwnerOptions) {
  await withUser(user, async ({ db }, userId) => {
    const template = await orUnknown(`template ${id}`, getSummaryTemplate({ db }, everyScope(userId, 'command'), id))
    show(json, template, describe(template))
  })
}

function describe({ id, name, language, sections, default_for: { types, tags, folders } }: SummaryTemplate) {
  const lines = sections.map(({ heading, content, part }) => {
    const offline = part === null ? 'left out without a provider' : part
    return `- ${heading} (${offline})${content === '' ? '' : `: ${content}`}`
  })
  const rest = Object.entries({ language, types, tags, folders }).flatMap(([key, value]) =>
    value.length === 0 ? [] : [`${key}: ${[value].flat().join(', ')}`]
  )
  return [`${id}  ${name}`, ...lines, ...rest].join('\n')
}

async function create(name: string, { user, json, ...options }: Fields) {
  const { data, error } = SummaryTemplateCreate.safeParse(toFields({ ...options, name }))
  if (error) throw new UsedWrongly(describeError(refusedByShape(error), 'give'))
  await withUser(user, async ({ db, clock }, userId, context) => {
    const template = await orFail(createSummaryTemplate({ db, clock }, everyScope(userId, 'command'), data))
    showDone(context, json, template, `Added ${template.id} (${template.name}).`)
  })
}

async function change(id: string, { user, json, ...options }: Fields) {
  const { data, error } = SummaryTemplatePatch.safeParse(toFields(options))
  if (error) throw new UsedWrongly(describeError(refusedByShape(error), 'give'))
  await withUser(user, async ({ db, clock }, userId, context) => {
    const changed = updateSummaryTemplate({ db, clock }, everyScope(userId, 'command'), id, data)
    const template = await orUnknown(`template ${id}`, changed)
    showDone(context, json, template, `Changed ${template.id} (${template.name}).`)
  })
}

function toFields({ name, section, language, forType, forTag, forFolder, defaults: keeps = true }: Options) {
  const defaults = keeps
    ? { types: forType, tags: forTag, folders: forFolder }
    : { types: forType ?? [], tags: forTag ?? [], folders: forFolder ?? [] }
  const hasDefaults = Object.values(defaults).some(values => values !== undefined)
  return { name, language, sections: section?.map(toSection), ...(hasDefaults && { default_for: defaults }) }
}

function toSection(text: string) {
  const [heading = '', ...content] = text.split(': ')
  return { heading, content: content.join(': ') }
}

async function remove(id: string, { user, json }: OwnerOptions) {
  await withUser(user, async ({ db }, userId, context) => {
    await orUnknown(`template ${id}`, deleteSummaryTemplate({ db }, everyScope(userId, 'command'), id))
    showDone(context, json, { id, deleted: true }, `Deleted ${id}.`)
  })
}
