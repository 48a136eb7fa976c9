import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^prl_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** Creates a token: `prl_`, 30 random base62 characters (178 bits) and a CRC32 checksum of six. */
export function makeToken() {
  const random = Array.from({ length: 30 }, () => BASE62.charAt(randomInt(62))).join('')
  return `prl_${random}${checksum(random)}`
}

/** The token of 256 bits. */
export function tokenFrom(seed: Buffer) {
  let rest = BigInt(`0x${seed.toString('hex')}`)
  let random = ''
  for (let place = 0; place < 30; place++) {
    random += BASE62.charAt(Number(rest % 62n))
    rest /= 62n
  }
  return `prl_${random}${checksum(random)}`
}

/** Returns whether the token has the right form and checksum. Typos and junk fail here, without a query. */
export function isWellFormed(token: string) {
  const [, random = '', sum = ''] = SHAPE.exec(token) ?? []
  return sum !== '' && checksum(random) === sum
}

/** Returns the SHA-256 of a token, the only form in the database. A token has 178 random bits, so a fast hash is enough. */
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
