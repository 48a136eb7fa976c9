import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { type Place, rowsOf } from './process.ts'

/** Creates a role without rights, whose password is its name. */
export async function newRole(place: Place) {
  const role = `role_${randomBytes(6).toString('hex')}`
  await rowsOf(place, `create role ${role} login password '${role}'`)
  onTestFinished(async () => {
    await rowsOf(place, `drop owned by ${role}`)
    await rowsOf(place, `drop role ${role}`)
  })
  return role
}
