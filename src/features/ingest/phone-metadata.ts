import type { PhoneMetadata } from '../../contract/session.ts'
import type { Db } from '../../platform/db/open.ts'
import { findUser } from '../access/queries.ts'

const NO_PHONE: PhoneMetadata = {
  direction: null,
  to_number: null,
  from_number: null,
  status: null,
  ongoing: false,
  provider: null,
  contact_name: null
}

/**
 * Completes the metadata of a call. Inbound calls have no known caller, and their called number is the verified number of the user: what an importer
 * wrote in its place is not verified, so nobody is shown it.
 */
export async function loadPhoneMetadata(
  db: Db,
  userId: string,
  sent: Partial<PhoneMetadata> = {}
): Promise<PhoneMetadata> {
  const phone = { ...NO_PHONE, ...sent }
  if (phone.direction !== 'inbound') return phone
  const user = await findUser(db, userId)
  return { ...phone, from_number: null, to_number: user?.verifiedCallerId ?? null }
}
