const [QUOTE, BACKSLASH, COMMA, COLON, U] = [0x22, 0x5c, 0x2c, 0x3a, 0x75]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

export interface JsonScan {
  /** Where the text stops being JSON, as an offset in bytes. */
  faultAt?: number
  /** Whether there are more values than allowed; the scan ends there. */
  tooManyValues?: boolean
  /** Whether a string has an escaped NUL or half of a surrogate pair: valid UTF-8 can hold neither unescaped. */
  unstorable: boolean
}

/**
 * Reads JSON in one pass without building anything, so that a hostile body is refused before it costs memory. Accepts
 * exactly what JSON.parse accepts; the bytes have to be valid UTF-8. Counts objects, lists, strings, numbers, booleans and nulls.
 */
export function scanJson(bytes: Buffer, maxValues: number): JsonScan {
  const scan: JsonScan = { unstorable: false }
  /** The closing bytes of the objects and lists around this place. */
  const open: number[] = []
  let expected: 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'end' = 'value'
  let values = 0
  let at = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0

  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      at++
    } else if (expected === 'end') {
      const close = open.at(-1)
      if (close !== undefined && byte === COMMA) expected = close === CLOSE_BRACE ? 'key' : 'value'
      else if (close !== undefined && byte === close) open.pop()
      else return { ...scan, faultAt: at }
      at++
    } else if (expected === 'colon') {
      if (byte !== COLON) return { ...scan, faultAt: at }
      expected = 'value'
      at++
    } else if ((expected === 'first key' && byte === CLOSE_BRACE) || (expected === 'first value' && byte === CLOSE_BRACKET)) {
      open.pop()
      expected = 'end'
      at++
    } else if (expected === 'key' || expected === 'first key') {
      if (byte !== QUOTE) return { ...scan, faultAt: at }
      at = skipString(bytes, at, scan)
      expected = 'colon'
    } else {
      if (++values > maxValues) return { ...scan, tooManyValues: true }
      expected = 'end'
      if (byte === QUOTE) {
        at = skipString(bytes, at, scan)
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        open.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)
        expected = byte === OPEN_BRACE ? 'first key' : 'first value'
        at++
      } else {
        const end = literalEnd(bytes, at)
        if (!LITERAL.test(bytes.toString('latin1', at, end))) return { ...scan, faultAt: at }
        at = end
      }
    }
    if (scan.faultAt !== undefined) return scan
  }
  return expected === 'end' && open.length === 0 ? scan : { ...scan, faultAt: at }
}

/** The offset behind the string that begins here. Notes in the scan what is wrong with it. */
function skipString(bytes: Buffer, start: number, scan: JsonScan) {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) {
      const escaped = bytes[++at]
      if (escaped === U) {
        const code = unitAt(bytes, at + 1)
        if (Number.isNaN(code)) scan.faultAt = at - 1
        const paired = isBetween(code, 0xd800, 0xdbff) && bytes[at + 5] === BACKSLASH && bytes[at + 6] === U
        if (paired && isBetween(unitAt(bytes, at + 7), 0xdc00, 0xdfff)) at += 6
        else if (code === 0 || isBetween(code, 0xd800, 0xdfff)) scan.unstorable = true
        at += 4
      } else if (escaped === undefined || !'"\\/bfnrt'.includes(String.fromCharCode(escaped))) {
        scan.faultAt = at - 1
      }
    } else if (byte === undefined || byte < 0x20) {
      scan.faultAt = at
    }
    if (scan.faultAt !== undefined) return at
  }
  scan.faultAt = bytes.length
  return bytes.length
}

/** The UTF-16 code unit of four hexadecimal digits; NaN where there are no four. */
function unitAt(bytes: Buffer, at: number) {
  let unit = 0
  for (let index = at; index < at + 4; index++) unit = unit * 16 + digitOf(bytes[index] ?? 0)
  return unit
}

function digitOf(byte: number) {
  if (isBetween(byte, 0x30, 0x39)) return byte - 0x30
  const letter = byte | 0x20
  return isBetween(letter, 0x61, 0x66) ? letter - 0x57 : Number.NaN
}

function isBetween(value: number, low: number, high: number) {
  return value >= low && value <= high
}

/** The end of the run of letters, digits and signs that begins here. */
function literalEnd(bytes: Buffer, start: number) {
  let at = start
  for (let byte = bytes[at]; byte !== undefined; byte = bytes[++at]) {
    const part = isBetween(byte | 0x20, 0x61, 0x7a) || isBetween(byte, 0x30, 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e
    if (!part) break
  }
  return at
}
