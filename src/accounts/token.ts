import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^prl_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** A new token: `prl_`, 30 random base62 characters (178 bits), and their CRC32 in six more. */
export function makeToken() {
  const random = Array.from({ length: 30 }, () => BASE62.charAt(randomInt(62))).join('')
  return `prl_${random}${checksum(random)}`
}

/** Whether it can be one of ours. Typing errors and junk fail here, before the database is asked. */
export function isWellFormed(token: string) {
  const [, random = '', sum = ''] = SHAPE.exec(token) ?? []
  return sum !== '' && checksum(random) === sum
}

/** What is stored of a token: its SHA-256. It has 178 random bits, so a slow hash would add nothing. */
export function hashToken(token: string) {
  return hash('sha256', token, 'buffer')
}

function checksum(random: string) {
  let rest = crc32(random)
  let text = ''
  for (let place = 0; place < 6; place++) {
    text = BASE62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}
