import { randomBytes } from 'node:crypto'

/** Returns a unique word of letters and digits. */
export function canary(about = '') {
  return `canary${about}${randomBytes(9).toString('hex')}`
}

/**
 * Returns the forms in which a text may appear: unchanged, in hexadecimal, URL-encoded, and in base64 at each of the
 * three offsets that it can have.
 */
export function tracesOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex')
  const shifted = ['base64', 'base64url'] as const
  const inBase64 = shifted.flatMap(encoding =>
    [0, 1, 2].map(before => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
      // The letters at both ends also hold bits of adjacent bytes.
      return bytes.toString(encoding).slice(before === 0 ? 0 : before + 1, Math.floor((bytes.length * 4) / 3) - 1)
    })
  )
  return [...new Set([text, hex, hex.toUpperCase(), encodeURIComponent(text), ...inBase64])]
}

/** Returns the names of the texts that have left a trace there. */
export function found(texts: Record<string, string>, where: string) {
  return Object.keys(texts).filter(name => tracesOf(texts[name]!).some(trace => where.includes(trace)))
}
