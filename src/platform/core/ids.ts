import { fromString, toUUID, typeidUnboxed } from 'typeid-js'

export type IdPrefix =
  | 'usr'
  | 'tok'
  | 'ses'
  | 'fld'
  | 'evt'
  | 'ai'
  | 'whk'
  | 'per'
  | 'inv'
  | 'sil'
  | 'cli'
  | 'upl'
  | 'trm'
  | 'apl'
  | 'sum'
  | 'tpl'
  | 'exp'

/** Creates an id: the prefix and a UUIDv7 as 26 characters of Crockford base32, so that ids sort by creation. */
export function newId(prefix: IdPrefix) {
  return typeidUnboxed(prefix)
}

/** The UUID in an id. */
export function uuidOf(id: string) {
  return toUUID(fromString(id))
}
