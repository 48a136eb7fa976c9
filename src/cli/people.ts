import type { Command } from 'commander'
import { personName } from '../contract/person.ts'
import { everyScope } from '../features/access/actor.ts'
import { createPerson, updatePerson } from '../features/people/change-person.ts'
import { getPerson, listPeople } from '../features/people/list-people.ts'
import { mergePeople } from '../features/people/merge.ts'
import type { Services } from '../features/services.ts'
import { ApiError } from '../platform/core/api-error.ts'
import type { Actor } from '../platform/ports/actor.ts'
import { userNamed, withJobs, withUser } from './context.ts'
import { addOwnerCommand, type OwnerOptions, optionOf } from './options.ts'
import { CommandFailed, orFail, showDone, showList } from './output.ts'

export function addPeople(program: Command) {
  const person = program.command('person').description('the people in the sessions of a user')
  addOwnerCommand(
    person,
    'list',
    'list people: the user first, then those who spoke most recently',
    'one JSON value per line'
  ).action(list)
  addOwnerCommand(person, 'create', 'add a person, whom later imports match by name')
    .argument('<name>', 'name', optionOf(personName))
    .option('--me', 'the person is the user')
    .action(create)
  addOwnerCommand(person, 'rename', 'rename a person')
    .argument('<id>', 'id of the person, or me')
    .argument('<name>', 'name', optionOf(personName))
    .action(rename)
  addOwnerCommand(person, 'merge', 'merge a person into another, who keeps id and name')
    .argument('<id>', 'id of the person, or me')
    .requiredOption('--into <id>', 'id of the person that remains, or me')
    .action(merge)
}

async function list({ user, json }: OwnerOptions) {
  await withUser(user, async (services, userId) => {
    const { people } = await listPeople(services, everyScope(userId, 'command'))
    showList(json, people)
  })
}

async function create(name: string, { user, me = false, json }: OwnerOptions & { me?: boolean }) {
  await withUser(user, async (services, userId, context) => {
    const actor = everyScope(userId, 'command')
    const { person, created } = await orFail(createPerson(services, actor, { name, is_me: me }))
    showDone(context, json, person, created ? `Created ${person.id} (${name}).` : `${person.id} has that name.`)
  })
}

async function rename(id: string, name: string, { user, json }: OwnerOptions) {
  await withJobs(async context => {
    const services = { ...context.database, jobs: context.jobs }
    const actor = everyScope(await userNamed(context, user), 'command')
    const { id: personId } = await personOf(services, actor, id)
    const person = await orFail(updatePerson(services, actor, personId, { name }))
    showDone(context, json, person, `${person.id} is called ${name}.`)
  })
}

async function merge(id: string, { user, into, json }: OwnerOptions & { into: string }) {
  await withJobs(async context => {
    const services = { ...context.database, jobs: context.jobs }
    const actor = everyScope(await userNamed(context, user), 'command')
    const to = await personOf(services, actor, into)
    const from = id === 'me' ? (await personOf(services, actor, id)).id : id
    const merged = await orFail(mergePeople(services, actor, from, { into: to.id }))
    showDone(context, json, merged, `${id} is ${merged.name} (${merged.id}) now.`)
  })
}

async function personOf(services: Pick<Services, 'db'>, actor: Actor, id: string) {
  return await getPerson(services, actor, id).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    const { mergedInto } = error
    throw new CommandFailed(
      `The user has no person ${id}${mergedInto ? `: it was merged into ${mergedInto}` : '; see: npm run -s parlance -- person list'}`
    )
  })
}
