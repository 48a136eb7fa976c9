import type { Command } from 'commander'
import { clock } from '../compose.ts'
import { personName } from '../contract/person.ts'
import { addPerson, changePerson } from '../people/change-person.ts'
import { mergePeople } from '../people/merge.ts'
import { findPerson, listPeople } from '../people/queries.ts'
import { type Context, userNamed, withDatabase } from './context.ts'
import { optionOf } from './options.ts'
import { CommandFailed, orFail, show, showList } from './output.ts'

interface Options {
  user: string
  json?: boolean
}

export function addPeople(program: Command) {
  const person = program.command('person').description('the people in the sessions of a user')
  const owned = (name: string, description: string) =>
    person
      .command(name)
      .description(description)
      .requiredOption('--user <user>', 'id or e-mail address of the user')
      .option('--json', name === 'list' ? 'print one JSON value per line' : 'print one JSON value')

  owned('list', 'list people: the user first, then those who spoke most recently').action(list)
  owned('create', 'add a person, whom later imports match by name')
    .argument('<name>', 'name', optionOf(personName))
    .option('--me', 'the person is the user')
    .action(create)
  owned('rename', 'rename a person')
    .argument('<id>', 'id of the person, or me')
    .argument('<name>', 'name', optionOf(personName))
    .action(rename)
  owned('merge', 'merge a person into another, who keeps id and name')
    .argument('<id>', 'id of the person, or me')
    .requiredOption('--into <id>', 'id of the person that remains, or me')
    .action(merge)
}

async function list({ user, json }: Options) {
  await withDatabase(async context => showList(json, await listPeople(context.database.db, await userNamed(context, user))))
}

async function create(name: string, { user, me = false, json }: Options & { me?: boolean }) {
  await withDatabase(async context => {
    const userId = await userNamed(context, user)
    const { person, created } = await orFail(addPerson(context.database.db, userId, { name, isMe: me }, clock.now()))
    show(json, person, created ? `Created ${person.id} (${name}).` : `${person.id} has that name.`)
  })
}

async function rename(id: string, name: string, { user, json }: Options) {
  await withDatabase(async context => {
    const userId = await userNamed(context, user)
    const person = await orFail(changePerson(context.database.db, userId, id, { name }, clock.now()))
    if (!person) throw new CommandFailed(`The user has no person ${id}; see: person list`)
    show(json, person, `${person.id} is called ${name}.`)
  })
}

async function merge(id: string, { user, into, json }: Options & { into: string }) {
  await withDatabase(async context => {
    const userId = await userNamed(context, user)
    const to = await personOf(context, userId, into)
    const from = id === 'me' ? (await personOf(context, userId, id)).id : id
    const merged = await orFail(mergePeople(context.database.db, userId, from, to.id, clock.now()))
    show(json, merged, `${id} is ${merged.name} (${merged.id}) now.`)
  })
}

async function personOf({ database }: Context, userId: string, id: string) {
  const found = await findPerson(database.db, userId, id)
  if (found?.person) return found.person
  throw new CommandFailed(`The user has no person ${id}${found ? `: it was merged into ${found.mergedInto}` : '; see: person list'}`)
}
