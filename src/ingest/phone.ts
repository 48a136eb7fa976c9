import { findUser } from '../accounts/queries.ts'
import type { PhoneMetadata } from '../contract/session.ts'
import type { Db } from '../db/open.ts'

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
 * What is known of a call. An inbound one is a bridge: who calls is not known, and the number that is called is the one that
 * the user has verified, or where there is none yet, the one that the source names.
 */
export async function phoneOf(db: Db, userId: string, sent: Partial<PhoneMetadata> = {}): Promise<PhoneMetadata> {
  const phone = { ...NO_PHONE, ...sent }
  if (phone.direction !== 'inbound') return phone
  const user = await findUser(db, userId)
  return { ...phone, from_number: null, to_number: user?.verifiedCallerId ?? phone.to_number }
}
