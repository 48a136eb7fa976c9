import { randomBytes } from 'node:crypto'

/** A word that is nowhere else, of letters and digits. */
export function canary(about = '') {
  return `canary${about}${randomBytes(9).toString('hex')}`
}

/**
 * Returns the forms in which a text may appear: as it is, in hexadecimal, for a URL, and in base64 at each of the
 * three places it can have among other bytes.
 */
export function tracesOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex')
  const shifted = ['base64', 'base64url'] as const
  const inBase64 = shifted.flatMap(encoding =>
    [0, 1, 2].map(before => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
      // The letters at both ends hold bits of their neighbours.
      return bytes.toString(encoding).slice(before === 0 ? 0 : before + 1, Math.floor((bytes.length * 4) / 3) - 1)
    })
  )
  return [...new Set([text, hex, hex.toUpperCase(), encodeURIComponent(text), ...inBase64])]
}

/** Returns the names of the texts that have left a trace there. */
export function found(texts: Record<string, string>, where: string) {
  return Object.keys(texts).filter(name => tracesOf(texts[name]!).some(trace => where.includes(trace)))
}
