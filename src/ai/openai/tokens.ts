/**
 * Roughly how many tokens a model makes of a text: four ASCII characters each, two of the other alphabets, one of
 * Chinese, Japanese, Korean, Indic and Thai script. No tokenizer fits every server, so budgets leave room.
 */
export function tokensOf(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) quarters += quartersOf(text.charCodeAt(at))
  return quarters / 4
}

/** The longest beginning of the text within the budget, and never less than one character. */
export function cutToTokens(text: string, budget: number): string {
  let quarters = 0
  let end = 0
  for (const character of text) {
    for (let at = 0; at < character.length; at++) quarters += quartersOf(character.charCodeAt(at))
    if (quarters > budget * 4 && end > 0) return text.slice(0, end)
    end += character.length
  }
  return text
}

function quartersOf(codeUnit: number) {
  return codeUnit < 0x80 ? 1 : codeUnit < 0x900 ? 2 : 4
}

/** Neighbours together, as many as the budget and the count allow; what is over the budget alone stands alone. */
export function pack<T>(items: T[], sizeOf: (item: T) => number, budget: number, count = Number.POSITIVE_INFINITY): T[][] {
  const packs: T[][] = []
  let open: T[] = []
  let used = 0
  for (const item of items) {
    const size = sizeOf(item)
    if (open.length > 0 && (used + size > budget || open.length >= count)) {
      packs.push(open)
      open = []
      used = 0
    }
    open.push(item)
    used += size
  }
  return open.length > 0 ? [...packs, open] : packs
}
